// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "hw/base/arena.h"
#include "hw/golden/network/topology.h"
#include "platforms/platform.h"

namespace chimera::test {

// The defaults of design.md, written down here so that topology tests do not depend on key tables.
inline chm_fabric_params fabric_defaults() {
    chm_fabric_params fabric = {};
    fabric.clock_ghz = 1;
    fabric.flit_bytes = 50;
    fabric.mtu_bytes = 256;
    fabric.link_latency_cycles = 100;
    fabric.vcs = 4;
    fabric.vc_depth_flits = 318;
    fabric.watchdog_cycles = 1000000;
    return fabric;
}

// A topology with the arena it lives in.
class built_topology {
public:
    static built_topology mesh(std::vector<uint32_t> extent,
                               const chm_fabric_params& fabric = fabric_defaults()) {
        return grid(chm_build_mesh, extent, fabric);
    }
    static built_topology torus(std::vector<uint32_t> extent,
                                const chm_fabric_params& fabric = fabric_defaults()) {
        return grid(chm_build_torus, extent, fabric);
    }
    static built_topology fat_tree(uint32_t switches, uint32_t dies_per_switch,
                                   const chm_fabric_params& fabric = fabric_defaults()) {
        built_topology built;
        check(chm_build_fat_tree(&built.m_topology, switches, dies_per_switch, 0, &fabric,
                                 &built.m_arena));
        return built;
    }

    // The eight shipped platforms, by name.
    static built_topology shipped(const std::string& name) {
        if (name == "mesh_5x5")
            return mesh({5, 5});
        if (name == "mesh_8x8")
            return mesh({8, 8});
        if (name == "torus_4x4")
            return torus({4, 4});
        if (name == "torus_8x8")
            return torus({8, 8});
        if (name == "torus_2x2x2")
            return torus({2, 2, 2});
        if (name == "torus_4x4x4")
            return torus({4, 4, 4});
        if (name == "fat_tree_2x8")
            return fat_tree(2, 8);
        if (name == "fat_tree_2x32")
            return fat_tree(2, 32);
        throw std::invalid_argument(name);
    }
    static std::vector<std::string> shipped_names() {
        return {"mesh_5x5",    "mesh_8x8",    "torus_4x4",    "torus_8x8",
                "torus_2x2x2", "torus_4x4x4", "fat_tree_2x8", "fat_tree_2x32"};
    }

    built_topology(built_topology&& other) noexcept
        : m_arena(other.m_arena), m_topology(other.m_topology) {
        chm_arena_init(&other.m_arena);
    }
    built_topology(const built_topology&) = delete;
    built_topology& operator=(const built_topology&) = delete;
    built_topology& operator=(built_topology&&) = delete;
    ~built_topology() { chm_arena_free(&m_arena); }

    const chm_topology& operator*() const { return m_topology; }
    const chm_topology* operator->() const { return &m_topology; }
    const chm_topology* get() const { return &m_topology; }

private:
    built_topology() { chm_arena_init(&m_arena); }

    template<typename builder>
    static built_topology grid(builder build, std::vector<uint32_t> extent,
                               const chm_fabric_params& fabric) {
        built_topology built;
        auto dimensions = static_cast<uint32_t>(extent.size());
        extent.resize(3, 1);
        check(build(&built.m_topology, extent.data(), dimensions, &fabric, &built.m_arena));
        return built;
    }
    static void check(chm_status status) {
        if (status != chm_ok) {
            throw std::runtime_error(chm_status_string(status));
        }
    }

    chm_arena m_arena;
    chm_topology m_topology{};
};

} // namespace chimera::test
