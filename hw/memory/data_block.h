// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/golden/layout/layout.h"

namespace chimera::memory {

// A block of a tensor as it lies in a die's memory, with its real elements (float32). Of routed
// layouts only some rows of the block are there.
class data_block {
public:
    data_block() = default;
    // All rows present, elements 0.
    explicit data_block(const chm_rect& rect) { reset(rect); }

    void reset(const chm_rect& rect);

    const chm_rect& rect() const { return m_rect; }
    uint64_t row_width() const { return m_rect.width_end - m_rect.width_begin; }
    bool empty() const { return m_elements.empty(); }

    // The first element held of a row. `token` must lie in the block.
    float* row(uint64_t token) {
        return m_elements.data() + (token - m_rect.token_begin) * row_width();
    }
    const float* row(uint64_t token) const {
        return m_elements.data() + (token - m_rect.token_begin) * row_width();
    }
    float* at(uint64_t token, uint64_t column) {
        return row(token) + (column - m_rect.width_begin);
    }
    const float* at(uint64_t token, uint64_t column) const {
        return row(token) + (column - m_rect.width_begin);
    }

    // Sparse blocks: which rows are there. A block is dense until clear_rows is called.
    void clear_rows() { m_present.assign(m_rect.token_end - m_rect.token_begin, 0); }
    void set_row(uint64_t token) {
        if (!m_present.empty()) {
            m_present[token - m_rect.token_begin] = 1;
        }
    }
    bool has_row(uint64_t token) const {
        return token >= m_rect.token_begin && token < m_rect.token_end &&
               (m_present.empty() || m_present[token - m_rect.token_begin] != 0);
    }
    bool sparse() const { return !m_present.empty(); }

    // Forgets what is in the region: elements 0, rows of a sparse block not there.
    void clear_region(const chm_rect& region);

    // Every element becomes a quiet NaN of a fixed pattern.
    void spoil();

    // Copies the rows that `from` has in the intersection of both blocks and `region`.
    void copy_from(const data_block& from, const chm_rect& region);

    // 1 where the elements are complete, else they are one of so many addends.
    uint32_t addends = 1;

private:
    chm_rect m_rect = {0, 0, 0, 0};
    std::vector<float> m_elements; // row-major over m_rect
    std::vector<uint8_t> m_present;
};

// The part that a rank contributes when a complete value is embedded in a partial layout (zero
// elsewhere): its block with partial turned into shard(tokens), nested last.
chm_rect embedded_part(const chm_layout& layout, const chm_tensor& tensor, uint32_t rank);

} // namespace chimera::memory
