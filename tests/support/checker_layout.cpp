// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/support/checker.h"

namespace chimera::checker {

namespace {

// Half-open interval cut into n blocks of which the first (length mod n) get one more.
struct span {
    uint64_t begin, end;
};

span block(span whole, uint64_t n, uint64_t i) {
    uint64_t length = whole.end - whole.begin;
    uint64_t begin = whole.begin;
    for (uint64_t b = 0; b < i; ++b) {
        begin += length / n + (b < length % n ? 1 : 0);
    }
    return {begin, begin + length / n + (i < length % n ? 1 : 0)};
}

std::vector<uint32_t> coordinates(const chm_layout& layout, uint32_t rank) {
    std::vector<uint32_t> c(layout.mesh.dimensions);
    for (uint32_t d = layout.mesh.dimensions; d-- > 0;) {
        c[d] = rank % layout.mesh.extent[d];
        rank /= layout.mesh.extent[d];
    }
    return c;
}

// Splits the axis by every dimension that shards it, major first.
span shard_span(const chm_layout& layout, const std::vector<uint32_t>& c, chm_axis axis,
                uint64_t length) {
    std::vector<uint32_t> dims;
    for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        if (layout.placement[d].kind == chm_place_shard && layout.placement[d].axis == axis) {
            dims.push_back(d);
        }
    }
    std::sort(dims.begin(), dims.end(), [&](uint32_t a, uint32_t b) {
        return layout.placement[a].order < layout.placement[b].order;
    });
    span s{0, length};
    for (uint32_t d : dims) {
        s = block(s, layout.mesh.extent[d], c[d]);
    }
    return s;
}

} // namespace

uint32_t addend_count(const chm_layout& layout) {
    uint32_t n = 1;
    for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        if (layout.placement[d].kind == chm_place_partial) {
            n *= layout.mesh.extent[d];
        }
    }
    return n;
}

state held(const chm_layout& layout, const chm_tensor& tensor, addend_set all,
           const route_table* routed) {
    uint32_t ranks = 1;
    bool partial = false, is_routed = false, routed_sum = false;
    for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        ranks *= layout.mesh.extent[d];
        partial |= layout.placement[d].kind == chm_place_partial;
        routed_sum |= layout.placement[d].kind == chm_place_routed_partial;
        is_routed |= layout.placement[d].kind == chm_place_routed_copy ||
                     layout.placement[d].kind == chm_place_routed_partial;
    }
    state result;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        std::vector<uint32_t> c = coordinates(layout, rank);
        span rows = shard_span(layout, c, chm_axis_tokens, tensor.tokens);
        span columns = shard_span(layout, c, chm_axis_width, tensor.width);
        uint32_t addend = 0;
        for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
            if (layout.placement[d].kind == chm_place_partial) {
                addend = addend * layout.mesh.extent[d] + c[d];
            }
        }
        uint32_t die = layout.mesh.dies[rank];
        holding& mine = result[die];
        for (uint64_t t = rows.begin; t < rows.end; ++t) {
            addend_set set = partial ? addend_set{1} << addend : all;
            if (is_routed) {
                const std::vector<uint32_t>& dies = (*routed)[t];
                auto at = std::find(dies.begin(), dies.end(), die);
                if (at == dies.end()) {
                    continue;
                }
                if (routed_sum) {
                    set = addend_set{1} << (at - dies.begin());
                }
            }
            for (uint64_t w = columns.begin; w < columns.end; ++w) {
                mine[t * tensor.width + w] = set;
            }
        }
    }
    return result;
}

std::string missing(const state& result, const state& demand) {
    for (const auto& [die, needs] : demand) {
        auto at = result.find(die);
        for (const auto& [element, set] : needs) {
            std::string where =
                "die " + std::to_string(die) + " element " + std::to_string(element);
            if (at == result.end() || at->second.count(element) == 0) {
                return where + " is not there";
            }
            if (at->second.at(element) != set) {
                return where + " has addends " + std::to_string(at->second.at(element)) + ", not " +
                       std::to_string(set);
            }
        }
    }
    return "";
}

} // namespace chimera::checker
