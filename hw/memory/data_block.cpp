// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/data_block.h"

#include <algorithm>
#include <limits>

namespace chimera::memory {

void data_block::reset(const chm_rect& rect) {
    m_rect = rect;
    m_present.clear();
    m_elements.assign(chm_rect_elements(&rect), 0.0f);
}

void data_block::spoil() {
    std::fill(m_elements.begin(), m_elements.end(), std::numeric_limits<float>::quiet_NaN());
}

void data_block::clear_region(const chm_rect& region) {
    const chm_rect shared = chm_rect_intersect(&m_rect, &region);
    for (uint64_t token = shared.token_begin; token < shared.token_end; ++token) {
        if (!chm_rect_empty(&shared)) {
            std::fill_n(at(token, shared.width_begin), shared.width_end - shared.width_begin, 0.0f);
            if (sparse()) {
                m_present[token - m_rect.token_begin] = 0;
            }
        }
    }
}

void data_block::copy_from(const data_block& from, const chm_rect& region) {
    chm_rect shared = chm_rect_intersect(&m_rect, &from.m_rect);
    shared = chm_rect_intersect(&shared, &region);
    if (chm_rect_empty(&shared)) {
        return;
    }
    const uint64_t width = shared.width_end - shared.width_begin;
    for (uint64_t token = shared.token_begin; token < shared.token_end; ++token) {
        if (from.has_row(token)) {
            std::copy_n(from.at(token, shared.width_begin), width, at(token, shared.width_begin));
            set_row(token);
        }
    }
}

chm_rect embedded_part(const chm_layout& layout, const chm_tensor& tensor, uint32_t rank) {
    chm_layout parts = layout;
    uint32_t order = 0;
    for (uint32_t d = 0; d < parts.mesh.dimensions; ++d) {
        const chm_placement& placement = parts.placement[d];
        order += placement.kind == chm_place_shard && placement.axis == chm_axis_tokens;
    }
    for (uint32_t d = 0; d < parts.mesh.dimensions; ++d) {
        if (parts.placement[d].kind == chm_place_partial) {
            parts.placement[d] = {chm_place_shard, chm_axis_tokens, order++};
        }
    }
    return chm_layout_holding(&parts, &tensor, rank).rect;
}

} // namespace chimera::memory
