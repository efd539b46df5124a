// SPDX-License-Identifier: Apache-2.0
// Open-loop load: patterns, latency at low load, and what happens up to saturation and beyond.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/load.h"
#include "tests/support/built_topology.h"

using namespace chimera::fabric;
using chimera::test::built_topology;

namespace {

constexpr load_pattern patterns[] = {load_pattern::uniform,       load_pattern::transpose,
                                     load_pattern::bitcomplement, load_pattern::tornado,
                                     load_pattern::shuffle,       load_pattern::hotspot,
                                     load_pattern::neighbour};

load_result offer(const chm_topology& topology, load_pattern pattern, double rate,
                  const load_params& times, const fabric_params& architecture = fabric_params()) {
    load_params params = times;
    params.pattern = pattern;
    params.rate = rate;
    load_result result = run_load(topology, architecture, params);
    EXPECT_EQ(result.status, chm_ok) << result.text;
    return result;
}

// Up to saturation a network is steady after some round trips, of 3,000 cycles at most here.
// Beyond, its buffers fill first: 1,272 flits a port and more than a tenth of a flit per cycle.
load_params below_saturation() {
    load_params times;
    times.warm_up_cycles = 4000;
    times.measure_cycles = 6000;
    times.drain_cycles = 20000;
    return times;
}
load_params beyond_saturation() {
    load_params times;
    times.warm_up_cycles = 12000;
    times.measure_cycles = 8000;
    times.drain_cycles = 0;
    return times;
}

// With what keeps overload from collapsing (docs/load.md).
fabric_params restrained() {
    fabric_params params;
    params.oldest_first = true;
    params.window_round_trips = 1;
    return params;
}

// The rate at which the first link or ejection port is busy all the time, from the routes alone:
// one over the flits that it carries for each that every die sends. Random destinations and ties
// are averaged over a thousand packets of each die.
double saturation(const chm_topology& topology, load_pattern pattern) {
    const int draws = 1000;
    std::vector<double> links(topology.link_count), ports(topology.dies);
    std::vector<uint32_t> way(topology.link_count);
    for (uint32_t die = 0; die < topology.dies; ++die) {
        for (int i = 0; i < draws; ++i) {
            const auto index = static_cast<uint64_t>(i);
            const chm_route_key key = {die, load_destination(topology, pattern, 0, die, index),
                                       chm_hash3(0, die, index)};
            const uint32_t count =
                chm_topology_path(&topology, &key, way.data(), topology.link_count);
            for (uint32_t k = 0; k < count; ++k) {
                links[way[k]] += 1.0 / draws;
            }
            ports[key.destination] += 1.0 / draws;
        }
    }
    return 1 / std::max({1.0, *std::max_element(links.begin(), links.end()),
                         *std::max_element(ports.begin(), ports.end())});
}

std::string name(load_pattern pattern) {
    static const char* const names[] = {"uniform", "transpose", "bitcomplement", "tornado",
                                        "shuffle", "hotspot",   "neighbour"};
    return names[static_cast<size_t>(pattern)];
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
    const load_result result = offer(*torus, load_pattern::neighbour, 0.002, below_saturation());
    EXPECT_GT(result.packets, 10u);
    EXPECT_EQ(result.unfinished, 0u);
    EXPECT_EQ(result.latency_p50, 5 + 103 + 7u);
    EXPECT_LE(result.latency_mean, 5 + 103 + 7 + 1.0);
}

// Nothing that is offered up to saturation is lost; more of it costs latency.
TEST_P(platforms, accepted_follows_offered_up_to_saturation) {
    built_topology built = built_topology::shipped(GetParam());
    for (load_pattern pattern : patterns) {
        const double limit = saturation(*built, pattern);
        double best = 0, latency = 0;
        for (double share : {0.25, 0.5, 0.65, 0.75}) {
            const load_result result = offer(*built, pattern, share * limit, below_saturation());
            const std::string where = name(pattern) + " at " + std::to_string(share);
            EXPECT_NEAR(result.offered, share * limit, 0.07 * share * limit) << where;
            EXPECT_NEAR(result.accepted, result.offered, 0.05 * result.offered) << where;
            EXPECT_EQ(result.unfinished, 0u) << where;
            EXPECT_GT(result.accepted, best) << where;
            EXPECT_GE(result.latency_mean, 0.98 * latency) << where;
            EXPECT_LE(result.latency_p50, result.latency_p99) << where;
            EXPECT_LE(result.latency_p99, result.latency_max) << where;
            best = result.accepted;
            latency = result.latency_mean;
        }
    }
}

// Whatever is offered beyond, with the oldest packet first and windows of a round trip no less
// comes through than at best. Steady: the halves of the measured stretch differ by a twentieth at
// most. At a hot spot the mix that comes through varies with what the buffers hold, and with it
// the sum; the hot die's port is never idle, and the sum no less than that allows.
TEST_P(platforms, overload_with_restrained_sources_does_not_collapse) {
    built_topology built = built_topology::shipped(GetParam());
    for (load_pattern pattern : patterns) {
        const double limit = saturation(*built, pattern);
        const bool hot = pattern == load_pattern::hotspot;
        double best = 0;
        for (double rate : {0.9 * limit, std::min(1.0, 1.2 * limit), 1.0}) {
            const load_result result =
                offer(*built, pattern, rate, beyond_saturation(), restrained());
            const std::string where = name(pattern) + " at " + std::to_string(rate);
            best = std::max(best, result.accepted);
            EXPECT_GE(result.accepted, 0.95 * (hot ? std::min(best, limit) : best)) << where;
            EXPECT_LE(result.busiest_port, 1.0 + 7 / 8000.0) << where; // whole packets count
            if (hot && rate > limit) {
                EXPECT_GE(result.busiest_port, 0.99) << where;
            }
            if (!hot) {
                EXPECT_LE(std::fabs(result.drift), 0.05) << where;
            }
        }
        EXPECT_GE(best, 0.75 * limit) << name(pattern);
    }
}

INSTANTIATE_TEST_SUITE_P(shipped, platforms, testing::ValuesIn(built_topology::shipped_names()),
                         [](const auto& one) { return one.param; });

// What the reference's router does, which is the default: sources near a busy link crowd out those
// farther away, and packets that cannot move hold up those behind them, so that long ways that all
// cross the same links lose a third and more of what they carried at three quarters of saturation.
// Restrained sources lose nothing, and the worst treated source gets several times as much.
TEST(fabric_load, overload_of_long_ways_collapses_with_the_routers_of_the_reference) {
    for (auto [platform, pattern] : {std::pair{"torus_8x8", load_pattern::tornado},
                                     {"mesh_8x8", load_pattern::tornado},
                                     {"mesh_8x8", load_pattern::bitcomplement}}) {
        built_topology built = built_topology::shipped(platform);
        const double before = 0.75 * saturation(*built, pattern);
        const load_result plain = offer(*built, pattern, 1, beyond_saturation());
        const load_result fair = offer(*built, pattern, 1, beyond_saturation(), restrained());
        EXPECT_LT(plain.accepted, 0.7 * before) << platform << name(pattern);
        EXPECT_GT(plain.accepted, 0.3 * before) << platform << name(pattern);
        EXPECT_GT(fair.accepted, before) << platform << name(pattern);
        EXPECT_GT(fair.least_source, 2 * plain.least_source) << platform << name(pattern);
    }
}

// Each of the two does a part of it: without the first uniform traffic on a torus falls, without
// the second tornado on a mesh, by a tenth and more.
TEST(fabric_load, both_arbitration_and_windows_are_needed) {
    fabric_params only_window = restrained(), only_oldest = restrained();
    only_window.oldest_first = false;
    only_oldest.window_round_trips = 0;
    const auto both_beat = [](const char* platform, load_pattern pattern,
                              const fabric_params& one) {
        built_topology built = built_topology::shipped(platform);
        const double with = offer(*built, pattern, 1, beyond_saturation(), restrained()).accepted;
        EXPECT_GT(with, 1.1 * offer(*built, pattern, 1, beyond_saturation(), one).accepted);
    };
    both_beat("torus_8x8", load_pattern::uniform, only_window);
    both_beat("mesh_8x8", load_pattern::tornado, only_oldest);
}

// A stretch that ends before the buffers are full shows as drift.
TEST(fabric_load, drift_tells_that_a_network_is_not_steady) {
    built_topology mesh = built_topology::shipped("mesh_8x8");
    load_params times = beyond_saturation();
    times.warm_up_cycles = 0;
    const load_result filling = offer(*mesh, load_pattern::uniform, 1, times);
    EXPECT_GT(filling.drift, 0.05);
    EXPECT_LT(filling.least_source, filling.accepted);
    EXPECT_GT(filling.busiest_port, filling.accepted);
}

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
