// SPDX-License-Identifier: Apache-2.0
// Lower bounds where dies have several ports, in units of the flits of M bytes in packets of 256:
// M / 256 * 7.
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/bound/bound.h"
#include "tests/support/built_topology.h"
#include "tests/support/layouts.h"

namespace {

using namespace chimera::test;

constexpr uint64_t message = uint64_t{16} << 20, all_flits = message / 256 * 7;

chm_fabric_params with_ports(uint64_t ports) {
    chm_fabric_params wiring = fabric_defaults();
    wiring.ports_per_die = ports;
    return wiring;
}

// Of all-gathering a tensor of 16 MiB that is split over the dies.
chm_bound all_gather(const built_topology& topology, const std::vector<uint32_t>& dies) {
    const auto size = static_cast<uint32_t>(dies.size());
    const built_layout shards({size}, {tokens()}, dies);
    const built_layout copies({size}, {replicate()}, dies);
    const chm_layout* demand = copies.get();
    chm_request request = {};
    request.tensor = {message / 4096, 1024, 4};
    request.from = shards.get();
    request.demands = &demand;
    request.demand_count = 1;
    chm_arena arena;
    chm_arena_init(&arena);
    chm_bound bound = {};
    EXPECT_EQ(chm_bound_request(topology.get(), &request, &arena, &bound), chm_ok);
    chm_arena_free(&arena);
    return bound;
}

std::vector<uint32_t> all_dies(const built_topology& topology) {
    std::vector<uint32_t> dies(topology->dies);
    std::iota(dies.begin(), dies.end(), 0);
    return dies;
}

} // namespace

// Every die needs 15/16 of M and has p ports, on the mesh the corners 2 at most.
TEST(bound_ports, an_all_gather_fills_every_port_of_the_die_with_fewest) {
    const uint64_t needed = all_flits / 16 * 15;
    for (uint64_t ports : {1, 2, 3, 4}) {
        const auto torus = built_topology::torus({4, 4}, with_ports(ports));
        EXPECT_EQ(all_gather(torus, all_dies(torus)).bandwidth_cycles, needed / ports);
        const auto mesh = built_topology::mesh({4, 4}, with_ports(ports));
        const chm_bound corner = all_gather(mesh, all_dies(mesh));
        EXPECT_EQ(corner.bandwidth_cycles, needed / (ports == 1 ? 1 : 2));
        EXPECT_EQ(std::string(corner.bound_by.name), "in-port of die_0_0");
    }
}

// A block of 2 x 2 inside a mesh: routes between its dies leave each by two of its four links, one
// along x and one along y, and the other ports are of no use.
TEST(bound_ports, ports_that_lead_away_from_the_participants_do_not_count) {
    const std::vector<uint32_t> block = {6, 7, 11, 12};
    const uint64_t needed = all_flits / 4 * 3;
    for (uint64_t ports : {1, 2, 3, 4}) {
        const auto mesh = built_topology::mesh({5, 5}, with_ports(ports));
        EXPECT_EQ(all_gather(mesh, block).bandwidth_cycles, needed / (ports == 1 ? 1 : 2)) << ports;
    }
}

// On one switch each of four dies hears from three others, by ports 0, 1, 2 mod p and so on.
TEST(bound_ports, dies_of_one_switch_have_as_many_as_others_speak_to_them) {
    const std::vector<uint32_t> dies = {0, 1, 2, 3};
    const uint64_t needed = all_flits / 4 * 3;
    const uint64_t ways[] = {1, 2, 2, 3}; // of 3 ports die 0 hears by 1, 2 and 0, die 1 by 0, 2, 0
    for (uint64_t ports : {1, 2, 3, 4}) {
        const auto tree = built_topology::fat_tree(2, 8, with_ports(ports));
        EXPECT_EQ(all_gather(tree, dies).bandwidth_cycles, needed / ways[ports - 1]) << ports;
    }
}
