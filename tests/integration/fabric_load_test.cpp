// SPDX-License-Identifier: Apache-2.0
// Open-loop load: patterns, latency at low load, and what happens up to saturation and beyond.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/fabric/load.h"
#include "tests/support/built_topology.h"

using namespace chimera::fabric;
using chimera::test::built_topology;

namespace {

constexpr load_pattern patterns[] = {load_pattern::uniform,       load_pattern::transpose,
                                     load_pattern::bitcomplement, load_pattern::tornado,
                                     load_pattern::shuffle,       load_pattern::hotspot,
                                     load_pattern::neighbour};

load_result offer(const chm_topology& topology, load_pattern pattern, double rate) {
    load_params params;
    params.pattern = pattern;
    params.rate = rate;
    params.warm_up_cycles = 4000;
    params.measure_cycles = 6000;
    params.drain_cycles = 20000;
    load_result result = run_load(topology, fabric_params(), params);
    EXPECT_EQ(result.status, chm_ok) << result.text;
    return result;
}

// Flits per die per cycle that a pattern can have at most. Of N dies each sends a tenth to die 0
// and a share of the rest, and a source waits for a blocked packet: at rate r die 0 takes (N/10 +
// 0.9) r <= 1.
double capacity(load_pattern pattern, uint32_t dies) {
    return pattern == load_pattern::hotspot ? std::min(1.0, 1 / (0.1 * dies + 0.9)) : 1.0;
}

class platforms : public testing::TestWithParam<std::string> {};

} // namespace

TEST(fabric_load, fixed_patterns_are_permutations_and_stay_in_range) {
    for (auto [x, y] : {std::pair{5u, 3u}, {4u, 4u}, {7u, 1u}, {1u, 6u}, {1u, 1u}}) {
        built_topology mesh = built_topology::mesh({x, y});
        for (load_pattern pattern : patterns) {
            std::vector<int> hit(mesh->dies, 0);
            for (uint32_t die = 0; die < mesh->dies; ++die) {
                const uint32_t to = load_destination(*mesh, pattern, 1, die, die);
                ASSERT_LT(to, mesh->dies);
                ++hit[to];
            }
            if (pattern != load_pattern::uniform && pattern != load_pattern::hotspot &&
                (pattern != load_pattern::shuffle || mesh->dies % 2 == 0)) {
                EXPECT_EQ(*std::max_element(hit.begin(), hit.end()), 1)
                    << x << "x" << y << " pattern " << static_cast<int>(pattern);
            }
        }
    }
}

// Die (x, y) of 4x4: transpose (y, x); complement 15 - s; tornado x+1, y+1; shuffle 2s mod 15.
TEST(fabric_load, patterns_are_those_of_the_literature) {
    built_topology mesh = built_topology::mesh({4, 4});
    EXPECT_EQ(load_destination(*mesh, load_pattern::transpose, 0, 6, 0), 9u);
    EXPECT_EQ(load_destination(*mesh, load_pattern::bitcomplement, 0, 6, 0), 9u);
    EXPECT_EQ(load_destination(*mesh, load_pattern::tornado, 0, 6, 0), 11u);
    EXPECT_EQ(load_destination(*mesh, load_pattern::shuffle, 0, 6, 0), 12u);
    EXPECT_EQ(load_destination(*mesh, load_pattern::shuffle, 0, 9, 0), 3u);
    EXPECT_EQ(load_destination(*mesh, load_pattern::neighbour, 0, 7, 0), 4u);
}

// At a very low rate packets meet nobody: neighbours on a ring of 4 are one hop away, 5 + 103 + 7.
TEST(fabric_load, an_almost_idle_network_has_zero_load_latency) {
    built_topology torus = built_topology::torus({4, 4});
    const load_result result = offer(*torus, load_pattern::neighbour, 0.002);
    EXPECT_GT(result.packets, 10u);
    EXPECT_EQ(result.unfinished, 0u);
    EXPECT_EQ(result.latency_p50, 5 + 103 + 7u);
    EXPECT_LE(result.latency_mean, 5 + 103 + 7 + 1.0);
}

// Nothing that is offered below saturation is lost, and overload does not bring the network down.
TEST_P(platforms, accepted_follows_offered_up_to_saturation_and_does_not_collapse_beyond) {
    built_topology built = built_topology::shipped(GetParam());
    for (load_pattern pattern : patterns) {
        double best = 0, latency = 0;
        for (double rate : {0.05, 0.2, 0.5, 1.0}) {
            const load_result result = offer(*built, pattern, rate);
            const std::string where = GetParam() + " pattern " +
                                      std::to_string(static_cast<int>(pattern)) + " rate " +
                                      std::to_string(rate);
            EXPECT_NEAR(result.offered, rate, 0.1 * rate + 0.01) << where;
            EXPECT_LE(result.accepted, 1.0 + 1e-9) << where;
            // Up to saturation more is accepted. Beyond it trees of blocked packets form: where all
            // paths are long and alike (tornado, complement) their heads block those that could go
            // on, and buffers hide for a while that sources wait for a hot spot. Half is the worst,
            // tornado on torus_8x8.
            EXPECT_GE(result.accepted, 0.45 * std::min(best, capacity(pattern, built->dies)))
                << where;
            if (result.accepted > 0.97 * result.offered) {
                EXPECT_EQ(result.unfinished, 0u) << where;
                EXPECT_GE(result.accepted, best) << where;
                EXPECT_GE(result.latency_mean, latency * 0.95) << where;
                latency = result.latency_mean;
            }
            EXPECT_LE(result.latency_p50, result.latency_p99) << where;
            EXPECT_LE(result.latency_p99, result.latency_max) << where;
            best = std::max(best, result.accepted);
        }
        EXPECT_GT(best, 0.05) << GetParam() << " pattern " << static_cast<int>(pattern);
    }
}

INSTANTIATE_TEST_SUITE_P(shipped, platforms, testing::ValuesIn(built_topology::shipped_names()),
                         [](const auto& one) { return one.param; });

TEST(fabric_load, faults_are_named_together) {
    built_topology mesh = built_topology::mesh({2, 2});
    load_params params;
    params.rate = 1.5;
    params.packet_bytes = 1000;
    params.measure_cycles = 0;
    const load_result result = run_load(*mesh, fabric_params(), params);
    EXPECT_EQ(result.status, chm_bad_argument);
    EXPECT_NE(result.text.find("rate: "), std::string::npos);
    EXPECT_NE(result.text.find("packet_bytes: got 1000; allowed: 0 .. 256"), std::string::npos);
    EXPECT_NE(result.text.find("measure_cycles: "), std::string::npos);
}
