// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hw/golden/planner/planner.h"

// Layouts from the definitions of placements, for checking plans: shares no code with hw/golden.

namespace chimera::test {

// What a rank of a layout holds.
chm_rect block_of(const chm_layout& layout, const chm_tensor& tensor, std::uint32_t rank);

inline std::vector<std::uint32_t> coordinates_of(const chm_layout& layout, std::uint32_t rank) {
    std::vector<std::uint32_t> at(layout.mesh.dimensions);
    for (std::uint32_t d = layout.mesh.dimensions; d-- > 0;) {
        at[d] = rank % layout.mesh.extent[d];
        rank /= layout.mesh.extent[d];
    }
    return at;
}

inline std::uint32_t ranks_of(const chm_layout& layout) {
    std::uint32_t size = 1;
    for (std::uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        size *= layout.mesh.extent[d];
    }
    return size;
}

// Which addend a rank holds, and how many there are.
inline std::pair<std::uint32_t, std::uint32_t> addend_of(const chm_layout& layout,
                                                         std::uint32_t rank) {
    auto at = coordinates_of(layout, rank);
    std::uint32_t addend = 0, count = 1;
    for (std::uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        auto kind = layout.placement[d].kind;
        if (kind == chm_place_partial || kind == chm_place_routed_partial) {
            addend = addend * layout.mesh.extent[d] + at[d];
            count *= layout.mesh.extent[d];
        }
    }
    return {addend, count};
}

inline bool has_kind(const chm_layout& layout, chm_placement_kind kind) {
    for (std::uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        if (layout.placement[d].kind == kind) {
            return true;
        }
    }
    return false;
}

inline bool routed(const chm_layout& layout) {
    return has_kind(layout, chm_place_routed_copy) || has_kind(layout, chm_place_routed_partial);
}

inline bool inside(const chm_rect& rect, std::uint64_t token, std::uint64_t column) {
    return rect.token_begin <= token && token < rect.token_end && rect.width_begin <= column &&
           column < rect.width_end;
}

inline bool overlap(const chm_rect& a, const chm_rect& b) {
    return std::max(a.token_begin, b.token_begin) < std::min(a.token_end, b.token_end) &&
           std::max(a.width_begin, b.width_begin) < std::min(a.width_end, b.width_end);
}

template<typename F> void for_each_element(const chm_rect& rect, F&& visit) {
    for (auto t = rect.token_begin; t < rect.token_end; ++t) {
        for (auto c = rect.width_begin; c < rect.width_end; ++c) {
            visit(t, c);
        }
    }
}

inline std::vector<std::uint32_t> target_indices(const chm_request& request, std::uint64_t token) {
    std::uint32_t found[chm_max_top_k];
    auto count = chm_routing_targets(request.routing, token, found);
    return {found, found + count};
}

inline bool rank_has(const chm_request& request, const chm_layout& layout, std::uint32_t rank,
                     std::uint64_t token, std::uint64_t column) {
    if (!inside(block_of(layout, request.tensor, rank), token, column)) {
        return false;
    }
    if (!routed(layout)) {
        return true;
    }
    auto to = target_indices(request, token); // routed layouts have routed dimensions only
    return std::find(to.begin(), to.end(), rank) != to.end();
}

} // namespace chimera::test
