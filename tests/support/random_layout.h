// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random layouts for property tests: valid by construction, uneven, on any dies.

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "hw/golden/layout/layout.h"

namespace chimera::checker {

struct layout_choice {
    uint32_t dies;               // ids 0 .. dies-1 to choose from
    uint32_t most_dies;          // at most so many in the mesh
    bool allow_partial = false;  // partial dimensions
    bool allow_replicate = true; // replicate dimensions
    bool allow_width = true;     // shards along width
};

// A layout and the memory behind its mesh.
struct owned_layout {
    std::vector<uint32_t> dies;
    chm_layout layout{};
};

inline std::unique_ptr<owned_layout> random_layout(std::mt19937_64& random,
                                                   const layout_choice& choice) {
    auto result = std::make_unique<owned_layout>();
    chm_layout& layout = result->layout;
    uint32_t size = 1;
    layout.mesh.dimensions = 1 + static_cast<uint32_t>(random() % 3);
    for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        uint32_t most = choice.most_dies / size;
        layout.mesh.extent[d] = 1 + static_cast<uint32_t>(random() % (most < 4 ? most : 4));
        size *= layout.mesh.extent[d];
    }
    std::vector<uint32_t> pool(choice.dies);
    for (uint32_t i = 0; i < choice.dies; ++i) {
        pool[i] = i;
    }
    for (uint32_t i = 0; i < size; ++i) {
        std::swap(pool[i], pool[i + random() % (choice.dies - i)]);
    }
    result->dies.assign(pool.begin(), pool.begin() + size);
    layout.mesh.dies = result->dies.data();
    std::vector<uint32_t> split[2];
    for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        chm_placement& p = layout.placement[d];
        switch (random() % 3) {
        case 0:
            if (choice.allow_partial) {
                p.kind = chm_place_partial;
                break;
            }
            [[fallthrough]];
        case 1:
            if (choice.allow_replicate) {
                p.kind = chm_place_replicate;
                break;
            }
            [[fallthrough]];
        default:
            p.kind = chm_place_shard;
            p.axis = choice.allow_width && random() % 2 == 0 ? chm_axis_width : chm_axis_tokens;
            split[p.axis].push_back(d);
        }
    }
    for (std::vector<uint32_t>& dims : split) {
        std::shuffle(dims.begin(), dims.end(), random);
        for (uint32_t i = 0; i < dims.size(); ++i) {
            layout.placement[dims[i]].order = i;
        }
    }
    return result;
}

} // namespace chimera::checker
