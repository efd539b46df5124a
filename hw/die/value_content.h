// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/golden/truth/truth.h"
#include "hw/memory/value_store.h"

namespace chimera::die {

// Data on: the real elements of inputs and compute results, and the comparison with the truth.

// What a die holds of an input of the program at the start.
memory::data_block input_block(const chm_truth& truth, const chm_tables& tables, uint32_t value,
                               uint32_t die);

// What a compute makes on the die of `values` from what the die holds of its first operand. Rows
// that are not whole there (a matrix product over shards) are taken from the truth.
memory::data_block result_block(const chm_truth& truth, const chm_tables& tables,
                                const chm_operation& operation, const memory::value_store& values);

// Compares a complete block bit for bit; also that routed rows are those the routing says. "" if
// equal, else the first difference: value, die, token, column, got, expected. Addends are not
// compared (they are, summed).
std::string compare_block(const chm_truth& truth, const chm_tables& tables, uint32_t value,
                          const chm_layout& layout, uint32_t die, const memory::data_block& block);

// A hash of whose block it is and of every bit in it.
uint64_t digest_block(uint32_t value, uint32_t die, const memory::data_block& block);

} // namespace chimera::die
