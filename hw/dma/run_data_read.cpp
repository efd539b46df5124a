// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/dma/message_format.h"
#include "hw/dma/run_data.h"

// The part of run_data that reads: contents of outgoing transfers and demanded blocks.

namespace chimera::dma {

using memory::data_block;

const data_block& run_data::source_of(const chm_transfer& transfer) const {
    if (transfer.route == chm_route_forward && transfer.source != transfer.origin) {
        return m_slots;
    }
    return transfer.from_work || transfer.after_operation != 0 ? m_work : m_input;
}

// The gating's result is read from the row itself; where the die does not hold the row's first
// column, the constructed routing says the same.
uint32_t run_data::targets_of(const chm_transfer& transfer, const data_block& block, uint64_t token,
                              uint32_t targets[chm_max_top_k]) const {
    const chm_plan& plan = *m_program->plan;
    const bool combines = transfer.route == chm_route_combine;
    const chm_layout* routed = combines ? plan.from : plan.routed;
    if (combines || block.rect().width_begin != 0) {
        return chm_plan_targets(routed, plan.routing, token, targets);
    }
    const uint32_t count = chm_truth_gate(plan.routing, block.row(token), targets);
    for (uint32_t i = 0; i < count; ++i) {
        targets[i] = routed->mesh.dies[targets[i]];
    }
    return count;
}

bool run_data::carries(const chm_transfer& transfer, const data_block& block,
                       uint64_t token) const {
    if (!block.has_row(token)) {
        return false;
    }
    if (transfer.route == chm_route_none ||
        (transfer.route == chm_route_combine && block.sparse())) {
        return true; // the rows that are here are the ones the gating sent here
    }
    uint32_t targets[chm_max_top_k];
    const uint32_t count = targets_of(transfer, block, token, targets);
    return chm_plan_route(&transfer, token, targets, count);
}

uint64_t run_data::gather(uint32_t outgoing, uint32_t communicator, uint32_t seq,
                          std::vector<uint8_t>& bytes) const {
    const chm_transfer& transfer = m_program->out(outgoing);
    bytes.clear();
    if (transfer.kind == chm_transfer_credit) {
        return 0;
    }
    const data_block& block = source_of(transfer);
    const chm_rect& region = transfer.region;
    std::vector<uint32_t> tokens;
    for (uint64_t token = region.token_begin; token < region.token_end; ++token) {
        if (carries(transfer, block, token)) {
            tokens.push_back(static_cast<uint32_t>(token));
        }
    }
    if (transfer.route != chm_route_none) {
        write_header(bytes, {communicator, seq, static_cast<uint32_t>(tokens.size())});
        append(bytes, tokens.data(), tokens.size() * sizeof(uint32_t));
    }
    const uint64_t width = region.width_end - region.width_begin;
    for (uint32_t token : tokens) {
        append(bytes, block.at(token, region.width_begin), width * sizeof(float));
    }
    return tokens.size();
}

data_block run_data::demand(const chm_layout& layout, uint32_t rank, uint32_t producer) const {
    const chm_plan& plan = *m_program->plan;
    const chm_holding holding = chm_layout_holding(&layout, &plan.tensor, rank);
    const bool routed = chm_layout_is_routed(&layout);
    if (routed && !chm_layout_is_partial(&layout) && !chm_layout_is_routed(plan.from)) {
        return routed_demand(layout, holding);
    }
    data_block block;
    if (holding.addends > 1 && !chm_layout_is_partial(plan.from)) {
        block = embedded_demand(layout, holding, rank);
    } else {
        block.reset(holding.rect);
        if (routed) {
            block.clear_rows();
        }
        overlay(block, holding.rect);
        for (size_t i = m_shadows.size(); i-- > 0 && m_shadows[i].seq > producer;) {
            block.copy_from(m_shadows[i].rows, holding.rect);
        }
    }
    block.addends = routed && chm_layout_is_partial(&layout) ? 2 : holding.addends;
    return block;
}

void run_data::overlay(data_block& block, const chm_rect& region) const {
    block.copy_from(m_input, region);
    block.copy_from(m_work, region);
}

// A complete value as an addend: each die contributes its own part and zero elsewhere.
data_block run_data::embedded_demand(const chm_layout& layout, const chm_holding& holding,
                                     uint32_t rank) const {
    data_block block(holding.rect);
    overlay(block, memory::embedded_part(layout, m_program->plan->tensor, rank));
    return block;
}

bool run_data::complete_row(uint64_t token) const {
    return std::any_of(m_complete.begin(), m_complete.end(), [&](const chm_rect& rect) {
        return token >= rect.token_begin && token < rect.token_end;
    });
}

data_block run_data::routed_demand(const chm_layout& layout, const chm_holding& holding) const {
    const chm_plan& plan = *m_program->plan;
    data_block block(holding.rect);
    block.clear_rows();
    for (uint64_t token = holding.rect.token_begin; token < holding.rect.token_end; ++token) {
        const chm_rect row = {token, token + 1, 0, plan.tensor.width};
        if (m_slots.has_row(token)) {
            block.copy_from(m_slots, row);
            continue;
        }
        if (!complete_row(token)) {
            continue;
        }
        const chm_rect& rect = m_work.rect();
        const bool in_work = token >= rect.token_begin && token < rect.token_end;
        const data_block& own = in_work ? m_work : m_input;
        uint32_t targets[chm_max_top_k];
        const uint32_t count = chm_truth_gate(plan.routing, own.row(token), targets);
        for (uint32_t i = 0; i < count; ++i) {
            if (layout.mesh.dies[targets[i]] == m_program->die) {
                block.copy_from(own, row);
            }
        }
    }
    return block;
}

} // namespace chimera::dma
