// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/run_data.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/dma/message_format.h"

namespace chimera::dma {

using memory::data_block;

void run_data::reset(const die_program& program, const chm_truth& truth) {
    m_program = &program;
    m_truth = &truth;
    m_loaded = false;
    m_input = data_block();
    m_work = data_block();
    m_slots = data_block();
    m_complete.clear();
    m_waiting.clear();
    m_shadows.clear();
    m_row.assign(program.plan->tensor.width, 0.0f);
}

void run_data::load(data_block&& input) {
    const chm_plan& plan = *m_program->plan;
    m_input = std::move(input);
    m_loaded = true;
    m_work.reset(m_program->work);
    if (m_input.sparse()) {
        m_work.clear_rows();
    }
    m_work.copy_from(m_input, m_program->work);
    const chm_rect all = {0, plan.tensor.tokens, 0, plan.tensor.width};
    for (uint32_t i = 0; i < m_program->incoming.size(); ++i) {
        const chm_transfer& transfer = m_program->in(i);
        if (transfer.kind == chm_transfer_routed && m_slots.empty()) {
            m_slots.reset(all);
            m_slots.clear_rows();
        }
        const bool reduces =
            transfer.kind == chm_transfer_reduce || transfer.kind == chm_transfer_routed_reduce;
        if (plan.ordered && reduces) { // the own addend comes in its place
            m_work.clear_region(transfer.region);
        }
    }
    m_complete = m_program->complete_rows();
    for (const waiting& item : m_waiting) {
        put(item.incoming, item.bytes);
    }
    m_waiting.clear();
}

void run_data::apply(uint32_t incoming, const std::vector<uint8_t>& bytes) {
    if (m_loaded) {
        put(incoming, bytes);
    } else {
        m_waiting.push_back({incoming, bytes});
    }
}

void run_data::put(uint32_t incoming, const std::vector<uint8_t>& bytes) {
    const chm_transfer& transfer = m_program->in(incoming);
    if (transfer.kind == chm_transfer_credit) {
        return;
    }
    if (m_program->in_own[incoming] == own_addend::before) {
        add_own(transfer.region);
    }
    if (transfer.route != chm_route_none) {
        put_routed(incoming, bytes);
    } else {
        const chm_rect& region = transfer.region;
        const uint64_t width = region.width_end - region.width_begin;
        const uint8_t* from = bytes.data();
        std::vector<float>& row = m_row;
        for (uint64_t token = region.token_begin; token < region.token_end; ++token) {
            std::memcpy(row.data(), from, width * sizeof(float));
            put_row(incoming, token, row.data());
            from += width * sizeof(float);
        }
    }
    if (m_program->in_own[incoming] == own_addend::after) {
        add_own(transfer.region);
    }
}

void run_data::put_routed(uint32_t incoming, const std::vector<uint8_t>& bytes) {
    const chm_rect& region = m_program->in(incoming).region;
    const uint64_t width = region.width_end - region.width_begin;
    const routed_header header = read_header(bytes);
    const uint8_t* ids = bytes.data() + routed_header_bytes;
    const uint8_t* rows = ids + header.rows * sizeof(uint32_t);
    for (uint32_t i = 0; i < header.rows; ++i) {
        uint32_t token = 0;
        std::memcpy(&token, ids + i * sizeof token, sizeof token);
        std::memcpy(m_row.data(), rows + i * width * sizeof(float), width * sizeof(float));
        put_row(incoming, token, m_row.data());
    }
}

void run_data::put_row(uint32_t incoming, uint64_t token, const float* elements) {
    const chm_transfer& transfer = m_program->in(incoming);
    const uint64_t width = transfer.region.width_end - transfer.region.width_begin;
    const bool adds =
        transfer.kind == chm_transfer_reduce || transfer.kind == chm_transfer_routed_reduce;
    data_block& block = transfer.kind == chm_transfer_routed ? m_slots : m_work;
    float* to = block.at(token, transfer.region.width_begin);
    if (adds && block.has_row(token)) {
        for (uint64_t i = 0; i < width; ++i) {
            to[i] += elements[i];
        }
    } else {
        std::copy_n(elements, width, to);
    }
    block.set_row(token);
}

void run_data::add_own(const chm_rect& region) {
    const chm_rect own = chm_rect_intersect(&region, &m_input.rect());
    for (uint64_t token = own.token_begin; token < own.token_end; ++token) {
        if (!m_input.has_row(token)) {
            continue;
        }
        const float* from = m_input.at(token, own.width_begin);
        float* to = m_work.at(token, own.width_begin);
        const bool adds = m_work.has_row(token);
        for (uint64_t i = 0; i < own.width_end - own.width_begin; ++i) {
            to[i] = adds ? to[i] + from[i] : from[i];
        }
        m_work.set_row(token);
    }
}

data_block& run_data::shadow_of(uint32_t seq) {
    auto at = std::find_if(m_shadows.begin(), m_shadows.end(),
                           [&](const shadow& item) { return item.seq >= seq; });
    if (at == m_shadows.end() || at->seq != seq) {
        at = m_shadows.insert(at, {seq, data_block(m_work.rect())});
        at->rows.clear_rows();
    }
    return at->rows;
}

void run_data::operate(uint32_t index, const chm_operation& what) {
    const chm_plan_operation& operation = m_program->plan->operations[index];
    if (operation.reads_only) {
        return; // its decisions are read from the rows where they are needed
    }
    std::vector<float> out(m_program->plan->tensor.width);
    data_block& before = shadow_of(what.seq);
    for (uint32_t b = 0; b < operation.block_count; ++b) {
        const chm_rect& rect = operation.blocks[b].rect;
        if (operation.blocks[b].die != m_program->die || chm_rect_empty(&rect)) {
            continue;
        }
        const uint64_t width = rect.width_end - rect.width_begin;
        for (uint64_t token = rect.token_begin; token < rect.token_end; ++token) {
            if (!m_work.has_row(token)) {
                continue;
            }
            before.copy_from(m_work, {token, token + 1, rect.width_begin, rect.width_end});
            std::copy_n(m_work.at(token, rect.width_begin), width,
                        m_row.begin() + static_cast<std::ptrdiff_t>(rect.width_begin));
            chm_truth_apply(m_truth, &what, token, m_row.data(), m_row.size(), rect.width_begin,
                            rect.width_end, out.data());
            std::copy_n(out.data(), width, m_work.at(token, rect.width_begin));
        }
    }
}

} // namespace chimera::dma
