// SPDX-License-Identifier: Apache-2.0
#pragma once

// An independent statement of what layouts and plans mean, element by element: which addends of
// which element each die holds. It reads the plain structs of layout.h and plan.h and calls none of
// their functions, so that an error there cannot hide here. Small tensors only.

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "hw/golden/plan/plan.h"

namespace chimera::checker {

// Bits 0 .. 55: addend i is in the sum. Bits 56 .. 63: how many writing operations of the run have
// been applied to the element.
using addend_set = uint64_t;

constexpr addend_set one_operation = addend_set{1} << 56;

// What one die holds: per element (token * width + column) the addends, absent if nothing.
using holding = std::map<uint64_t, addend_set>;

// What every die holds.
using state = std::map<uint32_t, holding>;

// The dies that a token's row is routed to, worked out from the routed layout's own routing table.
using route_table = std::vector<std::vector<uint32_t>>; // [token] -> die ids, ascending

// Number of addends of a layout: product of its partial extents; 1 if complete.
uint32_t addend_count(const chm_layout& layout);

// The state that a layout describes. Partial layouts give every rank one addend; complete ones give
// `all` (the full set). routed may be null for layouts without routed dimensions.
state held(const chm_layout& layout, const chm_tensor& tensor, addend_set all,
           const route_table* routed);

// Empty if every die of `demand` holds, in `result`, exactly the full set of every element it
// needs; else the first fault in words.
std::string missing(const state& result, const state& demand);

// Executes a plan in a random order that its dependencies allow, from the state `from`; `applied`
// receives, per die, what each holds at the end (work where anything arrived, else input). Returns
// "" or the first fault: an addend twice, a read of what is not there, a deadlock, work before rows
// are complete.
std::string execute(const chm_plan& plan, const state& from, addend_set all,
                    const route_table* routed, std::mt19937_64& random, state& applied);

} // namespace chimera::checker
