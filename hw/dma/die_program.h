// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/golden/parameters.h"
#include "hw/golden/plan/plan.h"

namespace chimera::dma {

constexpr uint32_t no_index = UINT32_MAX;

using index_lists = std::vector<std::vector<uint32_t>>;

// What a message charges.
struct message_size {
    uint64_t payload = 0, metadata = 0;
    uint64_t total() const { return payload + metadata; }
};

// When the die's own addend of a region is added (plans with ordered sums).
enum class own_addend : uint8_t { none, before, after };

// One die's part of a plan, prepared once per (plan, die): who waits for what, as counters and
// successor lists, so that executing a run touches only these. Transfers are numbered by their
// place in the die's outgoing and incoming lists, operations by their place in the plan.
//
// An outgoing transfer waits for its listed dependencies and its operation. An incoming one that
// reduces, or that lands on a reduced region, waits for those that come before it into that region
// (lower id; in ordered plans lower addend), which fixes the order of sums. An operation waits for
// what arrives in earlier phases of its slice, for the operation before it, and for what the die
// sends of slices that must have left staging by then.
struct die_program {
    // Prepares the part of `die`. The plan must outlive the program.
    die_program(const chm_plan& plan_, uint32_t die_, const chm_parameters& parameters);

    const chm_transfer& out(uint32_t i) const { return plan->transfers[outgoing[i]]; }
    const chm_transfer& in(uint32_t i) const { return plan->transfers[incoming[i]]; }

    message_size size_of(const chm_transfer& transfer, uint64_t rows) const;

    // The place of a plan transfer among the incoming ones, no_index if it does not end here.
    uint32_t incoming_index(uint64_t transfer) const;

    // Blocks of complete rows that this die holds in the run before rows are routed: what its
    // operations worked on, else its input if that is complete, else what it has reduced last.
    std::vector<chm_rect> complete_rows() const;

    bool takes_part() const {
        return !outgoing.empty() || !incoming.empty() || operations_here != 0;
    }

    const chm_plan* plan;
    uint32_t die;
    uint64_t row_id_bytes, slot_header_bytes;

    std::vector<uint32_t> outgoing, incoming; // plan transfer ids, ascending
    std::vector<message_size> out_size;       // [outgoing] by the static routing
    std::vector<uint32_t> out_pending;        // [outgoing] dependencies
    std::vector<uint32_t> in_pending;         // [incoming] those before it into its region
    std::vector<uint8_t> in_needs_input;      // [incoming] adds to this die's own addend
    std::vector<own_addend> in_own;           // [incoming] ordered plans
    std::vector<uint64_t> in_rows;            // [incoming] by the static routing (routed)
    std::vector<uint32_t> in_slot;            // [incoming] its slot (routed)
    std::vector<uint64_t> slot_capacity;      // [slot] rows it takes in all slices of the run
    std::vector<uint32_t> operation_pending;  // [operation]
    std::vector<uint8_t> operation_here;      // [operation]
    std::vector<uint64_t> operation_rows;     // [operation] rows this die works on
    uint32_t operations_here = 0;

    index_lists in_before_in;                                   // [incoming]
    index_lists out_after_in, in_after_in, operation_after_in;  // [incoming]
    index_lists out_after_out, operation_after_out;             // [outgoing] once sent
    index_lists out_after_operation, operation_after_operation; // [operation]
    std::vector<uint32_t> sources, destinations; // dies, ascending, of transfers with payload

    chm_rect work = {0, 0, 0, 0}; // bounding block of what arrives densely or is computed here
    uint64_t staging_bytes = 0;
    uint32_t from_rank = CHM_NO_RANK; // of the die in the run's first layout
    chm_holding from_holding = {};    // where it has a rank

private:
    void collect();
    void link_outgoing();
    void order_incoming();
    void size_slots(double capacity_factor);
    void link_operations();
    void place_operation(uint32_t operation);
    void place_own_addends(const std::vector<uint32_t>& order);
    void find_peers();
    void extend_work(const chm_rect& rect);
};

} // namespace chimera::dma
