// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/die_program.h"

#include <algorithm>

namespace chimera::dma {

namespace {

bool reduces(const chm_transfer& transfer) {
    return transfer.kind == chm_transfer_reduce || transfer.kind == chm_transfer_routed_reduce;
}

bool overlaps(const chm_rect& a, const chm_rect& b) {
    const chm_rect shared = chm_rect_intersect(&a, &b);
    return !chm_rect_empty(&shared);
}

bool same(const chm_rect& a, const chm_rect& b) {
    return a.token_begin == b.token_begin && a.token_end == b.token_end &&
           a.width_begin == b.width_begin && a.width_end == b.width_end;
}

uint32_t place(const std::vector<uint32_t>& sorted, uint64_t id) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), id);
    return found == sorted.end() || *found != id ? no_index
                                                 : static_cast<uint32_t>(found - sorted.begin());
}

} // namespace

die_program::die_program(const chm_plan& plan_, uint32_t die_, const chm_parameters& parameters)
    : plan(&plan_), die(die_), row_id_bytes(parameters.transfer.row_id_bytes),
      slot_header_bytes(parameters.transfer.slot_header_bytes) {
    collect();
    link_outgoing();
    order_incoming();
    size_slots(parameters.transfer.capacity_factor);
    link_operations();
    find_peers();
}

void die_program::collect() {
    from_rank = chm_mesh_rank(&plan->from->mesh, die);
    if (from_rank != CHM_NO_RANK) {
        from_holding = chm_layout_holding(plan->from, &plan->tensor, from_rank);
    }
    if (const chm_plan_die* view = chm_plan_find_die(plan, die)) {
        outgoing.assign(view->outgoing, view->outgoing + view->outgoing_count);
        incoming.assign(view->incoming, view->incoming + view->incoming_count);
        staging_bytes = view->staging_bytes;
        extend_work(view->work);
    }
    for (uint32_t i = 0; i < outgoing.size(); ++i) {
        out_size.push_back(size_of(out(i), chm_plan_rows(plan, &out(i))));
    }
    for (uint32_t i = 0; i < incoming.size(); ++i) {
        if (in(i).kind != chm_transfer_credit && in(i).kind != chm_transfer_routed) {
            extend_work(in(i).region);
        }
    }
}

message_size die_program::size_of(const chm_transfer& transfer, uint64_t rows) const {
    message_size size;
    if (transfer.kind == chm_transfer_credit) {
        return size;
    }
    size.payload = rows * (transfer.region.width_end - transfer.region.width_begin) *
                   plan->tensor.element_bytes;
    if (transfer.route != chm_route_none) {
        size.metadata = slot_header_bytes + rows * row_id_bytes;
    }
    return size;
}

uint32_t die_program::incoming_index(uint64_t transfer) const {
    return place(incoming, transfer);
}

void die_program::extend_work(const chm_rect& rect) {
    if (chm_rect_empty(&rect)) {
        return;
    }
    if (chm_rect_empty(&work)) {
        work = rect;
        return;
    }
    work.token_begin = std::min(work.token_begin, rect.token_begin);
    work.token_end = std::max(work.token_end, rect.token_end);
    work.width_begin = std::min(work.width_begin, rect.width_begin);
    work.width_end = std::max(work.width_end, rect.width_end);
}

void die_program::link_outgoing() {
    out_pending.assign(outgoing.size(), 0);
    out_after_in.resize(incoming.size());
    out_after_out.resize(outgoing.size());
    for (uint32_t i = 0; i < outgoing.size(); ++i) {
        const chm_transfer& transfer = out(i);
        for (uint32_t d = 0; d < transfer.dependency_count; ++d) {
            const uint32_t id = plan->dependencies[transfer.first_dependency + d];
            const uint32_t arriving = place(incoming, id);
            if (arriving != no_index) {
                out_after_in[arriving].push_back(i);
                ++out_pending[i];
                continue;
            }
            const uint32_t sent = place(outgoing, id);
            if (sent != no_index) {
                out_after_out[sent].push_back(i);
                ++out_pending[i];
            }
        }
    }
}

void die_program::order_incoming() {
    in_pending.assign(incoming.size(), 0);
    in_needs_input.assign(incoming.size(), 0);
    in_own.assign(incoming.size(), own_addend::none);
    in_after_in.resize(incoming.size());
    in_before_in.resize(incoming.size());
    std::vector<uint32_t> order;
    bool any = false;
    for (uint32_t i = 0; i < incoming.size(); ++i) {
        order.push_back(i);
        any = any || reduces(in(i));
        in_needs_input[i] =
            reduces(in(i)) && from_rank != CHM_NO_RANK && overlaps(in(i).region, from_holding.rect);
    }
    if (!any) {
        return;
    }
    if (plan->ordered) {
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return in(a).phase != in(b).phase ? in(a).phase < in(b).phase
                                              : in(a).addend < in(b).addend;
        });
        place_own_addends(order);
    }
    // The newest transfer into each distinct region stands for all before it in that region.
    std::vector<uint32_t> newest;
    for (uint32_t i : order) {
        if (in(i).kind == chm_transfer_credit || in(i).kind == chm_transfer_routed) {
            continue;
        }
        bool found = false;
        for (uint32_t& before : newest) {
            const bool ordered = reduces(in(i)) || reduces(in(before));
            if (ordered && overlaps(in(i).region, in(before).region)) {
                in_after_in[before].push_back(i);
                in_before_in[i].push_back(before);
                ++in_pending[i];
            }
            if (same(in(i).region, in(before).region)) {
                before = i;
                found = true;
            }
        }
        if (!found) {
            newest.push_back(i);
        }
    }
}

void die_program::place_own_addends(const std::vector<uint32_t>& order) {
    if (from_rank == CHM_NO_RANK) {
        return;
    }
    const uint32_t own = chm_layout_is_routed(plan->from)
                             ? chm_layout_routed_index(plan->from, from_rank)
                             : from_holding.addend;
    for (size_t k = 0; k < order.size(); ++k) {
        const chm_transfer& transfer = in(order[k]);
        if (!in_needs_input[order[k]]) {
            continue;
        }
        auto same_sum = [&](uint32_t other) {
            return reduces(in(other)) && in(other).phase == transfer.phase &&
                   same(in(other).region, transfer.region);
        };
        const bool first_above = transfer.addend > own &&
                                 std::none_of(order.begin(), order.begin() + k, [&](uint32_t o) {
                                     return same_sum(o) && in(o).addend > own;
                                 });
        const bool last_below =
            transfer.addend < own && std::none_of(order.begin() + k + 1, order.end(), same_sum);
        in_own[order[k]] = first_above  ? own_addend::before
                           : last_below ? own_addend::after
                                        : own_addend::none;
    }
}

void die_program::find_peers() {
    for (uint32_t i = 0; i < incoming.size(); ++i) {
        if (in(i).kind != chm_transfer_credit) {
            sources.push_back(in(i).source);
        }
    }
    for (uint32_t i = 0; i < outgoing.size(); ++i) {
        if (out(i).kind != chm_transfer_credit) {
            destinations.push_back(out(i).destination);
        }
    }
    for (std::vector<uint32_t>* dies : {&sources, &destinations}) {
        std::sort(dies->begin(), dies->end());
        dies->erase(std::unique(dies->begin(), dies->end()), dies->end());
    }
}

} // namespace chimera::dma
