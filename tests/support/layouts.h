// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "hw/golden/layout/layout.h"

namespace chimera::test {

// Placements by name.
inline chm_placement replicate() {
    return {chm_place_replicate, chm_axis_tokens, 0};
}
inline chm_placement partial() {
    return {chm_place_partial, chm_axis_tokens, 0};
}
inline chm_placement routed_copy() {
    return {chm_place_routed_copy, chm_axis_tokens, 0};
}
inline chm_placement routed_partial() {
    return {chm_place_routed_partial, chm_axis_tokens, 0};
}
inline chm_placement tokens(uint32_t order = 0) {
    return {chm_place_shard, chm_axis_tokens, order};
}
inline chm_placement width(uint32_t order = 0) {
    return {chm_place_shard, chm_axis_width, order};
}

// A layout with the dies it stands on; dies 0, 1, ... unless given.
class built_layout {
public:
    built_layout(const std::vector<uint32_t>& extent, const std::vector<chm_placement>& placement,
                 std::vector<uint32_t> dies = {})
        : m_dies(std::move(dies)) {
        uint32_t size = 1;
        m_layout.mesh.dimensions = static_cast<uint32_t>(extent.size());
        for (size_t d = 0; d < extent.size(); ++d) {
            size *= m_layout.mesh.extent[d] = extent[d];
            m_layout.placement[d] = placement[d];
        }
        if (m_dies.empty()) {
            m_dies.resize(size);
            std::iota(m_dies.begin(), m_dies.end(), 0);
        }
        m_layout.mesh.dies = m_dies.data();
    }
    built_layout(const built_layout& other) : m_dies(other.m_dies), m_layout(other.m_layout) {
        m_layout.mesh.dies = m_dies.data();
    }
    built_layout& operator=(const built_layout&) = delete;

    const chm_layout* get() const { return &m_layout; }
    const chm_layout& operator*() const { return m_layout; }
    const chm_layout* operator->() const { return &m_layout; }

private:
    std::vector<uint32_t> m_dies;
    chm_layout m_layout = {};
};

} // namespace chimera::test
