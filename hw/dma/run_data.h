// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/dma/die_program.h"
#include "hw/golden/truth/truth.h"
#include "hw/memory/data_block.h"

namespace chimera::dma {

// The real elements of a run on one die (data on). Three places: `input` is what the run's first
// layout gives the die, `work` what arrives and is computed, `slots` the rows that routed transfers
// bring. A message's bytes are, for dense transfers, the region row by row; for routed ones a
// header {communicator, seq, rows}, the token ids (u32 each) and the rows.
class run_data {
public:
    void reset(const die_program& program, const chm_truth& truth);

    // The die's input is known from here on (an empty block where it holds none). What arrived
    // before is put in place now.
    void load(memory::data_block&& input);

    // The content of an outgoing transfer as it stands now; returns its rows.
    uint64_t gather(uint32_t outgoing, uint32_t communicator, uint32_t seq,
                    std::vector<uint8_t>& bytes) const;

    // Puts an arrived transfer in place.
    void apply(uint32_t incoming, const std::vector<uint8_t>& bytes);

    // Runs an operation of the plan on this die's blocks.
    void operate(uint32_t operation, const chm_operation& what);

    // This die's block of a demanded layout, as it stands now. `rank` is the die's in `layout`;
    // `producer` the operation that produced the value: what later operations of the run changed is
    // taken as it was before.
    memory::data_block demand(const chm_layout& layout, uint32_t rank, uint32_t producer) const;

private:
    // Rows as they were before an operation changed them.
    struct shadow {
        uint32_t seq;
        memory::data_block rows;
    };
    struct waiting {
        uint32_t incoming;
        std::vector<uint8_t> bytes;
    };

    memory::data_block& shadow_of(uint32_t seq);
    const memory::data_block& source_of(const chm_transfer& transfer) const;
    uint32_t targets_of(const chm_transfer& transfer, const memory::data_block& block,
                        uint64_t token, uint32_t targets[chm_max_top_k]) const;
    bool carries(const chm_transfer& transfer, const memory::data_block& block,
                 uint64_t token) const;
    void put(uint32_t incoming, const std::vector<uint8_t>& bytes);
    void put_dense(uint32_t incoming, const float* elements);
    void put_routed(uint32_t incoming, const std::vector<uint8_t>& bytes);
    void add_own(const chm_rect& region);
    void put_row(uint32_t incoming, uint64_t token, const float* elements);
    memory::data_block routed_demand(const chm_layout& layout, const chm_holding& holding) const;
    memory::data_block embedded_demand(const chm_layout& layout, const chm_holding& holding,
                                       uint32_t rank) const;
    void overlay(memory::data_block& block, const chm_rect& region) const;
    bool complete_row(uint64_t token) const;

    const die_program* m_program = nullptr;
    const chm_truth* m_truth = nullptr;
    bool m_loaded = false;
    memory::data_block m_input, m_work, m_slots;
    std::vector<chm_rect> m_complete; // whose rows are complete here, for routed demands
    std::vector<waiting> m_waiting;
    std::vector<shadow> m_shadows; // ascending seq
    std::vector<float> m_row;      // one whole row
};

} // namespace chimera::dma
