// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "hw/dma/die_program.h"

// The part of die_program that counts rows: slots of routed transfers and operations.

namespace chimera::dma {

void die_program::size_slots(double capacity_factor) {
    in_rows.assign(incoming.size(), 0);
    in_slot.assign(incoming.size(), no_index);
    if (plan->routing == nullptr) {
        return;
    }
    // What balanced gating would send is what software sizes a slot by.
    chm_routing balanced = *plan->routing;
    balanced.skew = 0;
    chm_plan expected = *plan;
    expected.routing = &balanced;
    // What the slices of one way bring is put into one slot.
    std::map<std::tuple<uint32_t, uint32_t, chm_route_rule>, uint32_t> slots;
    for (uint32_t i = 0; i < incoming.size(); ++i) {
        if (in(i).route != chm_route_none) {
            in_rows[i] = chm_plan_rows(plan, &in(i));
            const auto slot =
                slots.emplace(std::make_tuple(in(i).source, in(i).origin, in(i).route),
                              static_cast<uint32_t>(slots.size()));
            in_slot[i] = slot.first->second;
            slot_capacity.resize(slots.size(), 0);
            slot_capacity[in_slot[i]] += chm_plan_rows(&expected, &in(i));
        }
    }
    for (uint64_t& rows : slot_capacity) {
        // Balanced gating may leave a pair of forwarding dies without a row, skewed gating not.
        rows = static_cast<uint64_t>(
            std::ceil(capacity_factor * static_cast<double>(std::max<uint64_t>(1, rows))));
    }
}

void die_program::link_operations() {
    const uint32_t count = plan->operation_count;
    operation_pending.assign(count, 0);
    operation_here.assign(count, 0);
    operation_rows.assign(count, 0);
    operation_after_in.resize(incoming.size());
    operation_after_out.resize(outgoing.size());
    out_after_operation.resize(count);
    operation_after_operation.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
        place_operation(i);
    }
    for (uint32_t i = 0; i < outgoing.size(); ++i) {
        const uint32_t operation = out(i).after_operation;
        if (operation != 0 && operation_here[operation - 1]) {
            out_after_operation[operation - 1].push_back(i);
            ++out_pending[i];
        }
    }
}

void die_program::place_operation(uint32_t index) {
    const chm_plan_operation& operation = plan->operations[index];
    const bool routed = chm_layout_is_routed(operation.layout) && plan->routing != nullptr;
    const uint32_t rank = chm_mesh_rank(&operation.layout->mesh, die);
    for (uint32_t b = 0; b < operation.block_count; ++b) {
        const chm_block& block = operation.blocks[b];
        if (block.die != die || chm_rect_empty(&block.rect)) {
            continue;
        }
        operation_here[index] = 1;
        extend_work(block.rect);
        for (uint64_t t = block.rect.token_begin; t < block.rect.token_end; ++t) {
            operation_rows[index] +=
                !routed ||
                chm_layout_holds_row(operation.layout, &plan->tensor, plan->routing, rank, t);
        }
    }
    if (!operation_here[index]) {
        return;
    }
    ++operations_here;
    for (uint32_t i = 0; i < incoming.size(); ++i) {
        if (in(i).slice == operation.slice && in(i).phase < operation.after_phase) {
            operation_after_in[i].push_back(index);
            ++operation_pending[index];
        }
    }
    uint32_t before = index;
    while (before > 0 && !operation_here[before - 1]) {
        --before;
    }
    uint32_t gone = 0; // slices that the operation before waited for
    if (before > 0) {
        operation_after_operation[before - 1].push_back(index);
        ++operation_pending[index];
        const uint32_t slice = plan->operations[before - 1].slice;
        gone = slice < plan->slices_at_once ? 0 : slice - plan->slices_at_once + 1;
    }
    for (uint32_t i = 0; i < outgoing.size(); ++i) {
        if (out(i).slice >= gone && out(i).slice + plan->slices_at_once <= operation.slice) {
            operation_after_out[i].push_back(index);
            ++operation_pending[index];
        }
    }
}

std::vector<chm_rect> die_program::complete_rows() const {
    std::vector<chm_rect> rects;
    for (uint32_t i = 0; i < plan->operation_count; ++i) {
        for (uint32_t b = 0; b < plan->operations[i].block_count; ++b) {
            if (plan->operations[i].blocks[b].die == die) {
                rects.push_back(plan->operations[i].blocks[b].rect);
            }
        }
    }
    if (!rects.empty()) {
        return rects;
    }
    if (!chm_layout_is_partial(plan->from)) {
        if (from_rank != CHM_NO_RANK) {
            rects.push_back(from_holding.rect);
        }
        return rects;
    }
    for (uint32_t i = 0; i < incoming.size(); ++i) {
        bool last = in(i).kind == chm_transfer_reduce;
        for (uint32_t o = 0; o < outgoing.size() && last; ++o) {
            const chm_rect shared = chm_rect_intersect(&in(i).region, &out(o).region);
            last = out(o).kind != chm_transfer_reduce || outgoing[o] < incoming[i] ||
                   chm_rect_empty(&shared);
        }
        if (last) {
            rects.push_back(in(i).region);
        }
    }
    return rects;
}

} // namespace chimera::dma
