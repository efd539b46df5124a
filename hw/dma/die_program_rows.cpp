// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "hw/dma/die_program.h"

// The part of die_program that counts rows: slots of routed transfers and operations.

namespace chimera::dma {

void die_program::size_slots(double capacity_factor) {
    in_rows.assign(incoming.size(), 0);
    in_capacity.assign(incoming.size(), 0);
    if (plan->routing == nullptr) {
        return;
    }
    // What balanced gating would send is what software sizes a slot by.
    chm_routing balanced = *plan->routing;
    balanced.skew = 0;
    chm_plan expected = *plan;
    expected.routing = &balanced;
    for (uint32_t i = 0; i < incoming.size(); ++i) {
        if (in(i).route != chm_route_none) {
            in_rows[i] = chm_plan_rows(plan, &in(i));
            // Balanced gating may leave a pair of forwarding dies without a row, skewed gating not.
            const uint64_t rows = std::max<uint64_t>(1, chm_plan_rows(&expected, &in(i)));
            in_capacity[i] =
                static_cast<uint64_t>(std::ceil(capacity_factor * static_cast<double>(rows)));
        }
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
    for (uint32_t i = 0; i < outgoing.size() && operation.slice > 0; ++i) {
        if (out(i).slice == operation.slice - 1) {
            operation_after_out[i].push_back(index);
            ++operation_pending[index];
        }
    }
    for (uint32_t before = index; before-- > 0;) {
        if (operation_here[before] && plan->operations[before].slice == operation.slice) {
            operation_after_operation[before].push_back(index);
            ++operation_pending[index];
            break;
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
