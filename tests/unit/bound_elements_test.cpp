// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/bound/bound.h"
#include "tests/support/built_topology.h"
#include "tests/support/layouts.h"

// The bound of tiny redistributions against its definition, element by element.

namespace {

using namespace chimera::test;

constexpr uint64_t element_bytes = 4;

struct element_case {
    chm_tensor tensor;
    built_layout from;
    std::vector<built_layout> demands;
    chm_routing routing;
};

struct element_sets {
    std::map<uint32_t, uint32_t> addend_of; // die -> addend
    std::map<uint32_t, std::set<uint32_t>> dies_of;
    std::set<uint32_t> needers;
};

bool holds(const element_case& c, const chm_layout* layout, uint32_t rank, uint64_t token,
           uint64_t column) {
    chm_rect rect = chm_layout_holding(layout, &c.tensor, rank).rect;
    return chm_layout_holds_row(layout, &c.tensor, &c.routing, rank, token) &&
           column >= rect.width_begin && column < rect.width_end;
}

element_sets sets_of(const element_case& c, uint64_t token, uint64_t column) {
    element_sets sets;
    for (uint32_t rank = 0; rank < chm_mesh_size(&c.from->mesh); ++rank) {
        if (holds(c, c.from.get(), rank, token, column)) {
            uint32_t die = c.from->mesh.dies[rank];
            uint32_t addend = chm_layout_holding(c.from.get(), &c.tensor, rank).addend;
            sets.addend_of[die] = addend;
            sets.dies_of[addend].insert(die);
        }
    }
    for (const built_layout& demand : c.demands) {
        for (uint32_t rank = 0; rank < chm_mesh_size(&demand->mesh); ++rank) {
            if (holds(c, demand.get(), rank, token, column)) {
                sets.needers.insert(demand->mesh.dies[rank]);
            }
        }
    }
    return sets;
}

class by_definition {
public:
    by_definition(const chm_topology& topology, const element_case& c) : m_t(topology), m_case(c) {
        for (const chm_layout* layout : layouts()) {
            m_all.insert(layout->mesh.dies, layout->mesh.dies + chm_mesh_size(&layout->mesh));
        }
        for (uint64_t token = 0; token < c.tensor.tokens; ++token) {
            for (uint64_t column = 0; column < c.tensor.width; ++column) {
                add(sets_of(c, token, column));
            }
        }
    }

    uint64_t bound() const {
        uint64_t best = m_waits;
        const chm_die_mesh& from = m_case.from->mesh;
        const std::set<uint32_t> sources(from.dies, from.dies + chm_mesh_size(&from));
        for (auto [die, bytes] : m_in) {
            best = std::max(best, cycles(bytes, 1) + nearest(sources, {die}));
        }
        for (auto [die, bytes] : m_out) {
            best = std::max(best, cycles(bytes, 1) + nearest({die}, m_all));
        }
        if (m_work != 0) {
            best = std::max(best, cycles(m_work, m_all.size()) + nearest(m_all, m_all));
        }
        for (auto [side, bytes] : m_cut) {
            const auto crossing = links_across(side);
            best = std::max(best, cycles(bytes, crossing.size()) + nearest_across(side));
        }
        return best;
    }

private:
    using cut_side = std::pair<uint32_t, bool>; // cut, far side is inside

    std::vector<const chm_layout*> layouts() const {
        std::vector<const chm_layout*> all = {m_case.from.get()};
        for (const built_layout& demand : m_case.demands) {
            all.push_back(demand.get());
        }
        return all;
    }

    // Tiny pieces: messages are any multiple of an element, 248 bytes in 6 flits the best of them.
    static uint64_t cycles(uint64_t bytes, uint64_t ports) {
        return (bytes * 6 + 248 * ports - 1) / (248 * ports);
    }

    uint64_t latency(uint32_t s, uint32_t d) const {
        uint64_t best = UINT64_MAX;
        for (uint64_t random = 0; random < uint64_t{1} << m_t.random_bits; ++random) {
            chm_route_key key = {s, d, random};
            best = std::min(best, chm_topology_latency(&m_t, &key));
        }
        return best;
    }

    uint64_t nearest(const std::set<uint32_t>& from, const std::set<uint32_t>& to) const {
        uint64_t best = UINT64_MAX;
        for (uint32_t s : from) {
            for (uint32_t d : to) {
                best = s == d ? best : std::min(best, latency(s, d));
            }
        }
        return best;
    }

    bool beyond(uint32_t die, cut_side side) const {
        return (m_t.cuts[side.first].inside[m_t.die_node[die]] != 0) == side.second;
    }

    std::set<uint32_t> links_across(cut_side side) const {
        const uint8_t* inside = m_t.cuts[side.first].inside;
        std::set<uint32_t> links;
        for (uint32_t s : m_all) {
            for (uint32_t d : m_all) {
                for (uint64_t random = 0; s != d && random < uint64_t{1} << m_t.random_bits;
                     ++random) {
                    chm_route_key key = {s, d, random};
                    std::vector<uint32_t> path(m_t.nodes);
                    path.resize(chm_topology_path(&m_t, &key, path.data(), m_t.nodes));
                    for (uint32_t link : path) {
                        bool from = inside[m_t.links[link].from_node] != 0;
                        bool to = inside[m_t.links[link].to_node] != 0;
                        if (from != to && to == side.second) {
                            links.insert(link);
                        }
                    }
                }
            }
        }
        return links;
    }

    uint64_t nearest_across(cut_side side) const {
        uint64_t best = UINT64_MAX;
        for (uint32_t s : m_all) {
            for (uint32_t d : m_all) {
                if (!beyond(s, side) && beyond(d, side)) {
                    best = std::min(best, latency(s, d));
                }
            }
        }
        return best;
    }

    void add(const element_sets& sets) {
        const auto& [addend_of, dies_of, needers] = sets;
        const bool complete = dies_of.size() == 1;
        uint64_t met = 0;
        for (uint32_t needer : needers) {
            met += addend_of.count(needer);
            if (!(complete && addend_of.count(needer))) {
                m_in[needer] += element_bytes;
                uint64_t wait = 0;
                for (const auto& [addend, dies] : dies_of) {
                    wait = std::max(wait, dies.count(needer) ? 0 : nearest(dies, {needer}) + 2);
                }
                m_waits = std::max(m_waits, wait);
            }
        }
        for (const auto& [addend, dies] : dies_of) {
            const uint32_t die = *dies.begin();
            if (dies.size() == 1 && needers.size() > needers.count(die)) {
                m_out[die] += element_bytes;
            }
        }
        if (!needers.empty()) {
            m_work += element_bytes *
                      (complete ? needers.size() - met
                                : dies_of.size() - 1 + needers.size() - 1 + (met == 0 ? 1 : 0));
        }
        for (uint32_t cut = 0; cut < m_t.cut_count; ++cut) {
            for (bool inside : {false, true}) {
                const cut_side side = {cut, inside};
                auto far = [&](uint32_t die) { return beyond(die, side); };
                bool lacking = std::any_of(dies_of.begin(), dies_of.end(), [&](const auto& dies) {
                    return std::none_of(dies.second.begin(), dies.second.end(), far);
                });
                if (lacking && std::any_of(needers.begin(), needers.end(), far)) {
                    m_cut[side] += element_bytes;
                }
            }
        }
    }

    const chm_topology& m_t;
    const element_case& m_case;
    std::set<uint32_t> m_all;
    std::map<uint32_t, uint64_t> m_in, m_out;
    std::map<cut_side, uint64_t> m_cut;
    uint64_t m_work = 0;
    uint64_t m_waits = 0;
};

// A random layout of 2 or 4 dies out of `dies`, with any placement of the given kinds.
built_layout random_layout(std::mt19937& random, uint32_t dies,
                           const std::vector<chm_placement_kind>& kinds) {
    std::vector<uint32_t> all(dies);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    const uint32_t dimensions = 1 + random() % 2;
    std::vector<uint32_t> extent(dimensions, dimensions == 1 ? 2 + random() % 3 : 2);
    all.resize(dimensions == 1 ? extent[0] : 4);
    std::vector<chm_placement> placement;
    uint32_t orders[2] = {0, 0};
    for (uint32_t d = 0; d < dimensions; ++d) {
        chm_placement place = {kinds[random() % kinds.size()],
                               random() % 2 ? chm_axis_tokens : chm_axis_width, 0};
        if (place.kind == chm_place_shard) {
            place.order = orders[place.axis]++;
        }
        placement.push_back(place);
    }
    return {extent, placement, all};
}

uint64_t bound_of(const chm_topology& topology, const element_case& c) {
    std::vector<const chm_layout*> demands;
    for (const built_layout& demand : c.demands) {
        demands.push_back(demand.get());
    }
    chm_request request = {};
    request.tensor = c.tensor;
    request.from = c.from.get();
    request.demands = demands.data();
    request.demand_count = static_cast<uint32_t>(demands.size());
    request.routing = &c.routing;
    chm_arena arena;
    chm_arena_init(&arena);
    chm_bound bound = {};
    EXPECT_EQ(chm_bound_request(&topology, &request, &arena, &bound), chm_ok);
    chm_arena_free(&arena);
    return bound.lower_bound_cycles;
}

std::vector<built_topology> topologies() {
    std::vector<built_topology> all;
    all.push_back(built_topology::mesh({3, 2}));
    all.push_back(built_topology::torus({4, 2}));
    all.push_back(built_topology::torus({2, 2, 2}));
    all.push_back(built_topology::fat_tree(2, 3));
    return all;
}

} // namespace

TEST(bound_elements, unrouted_layouts_agree_with_the_definition) {
    std::mt19937 random(1);
    const auto all = topologies();
    uint32_t moved = 0;
    for (int i = 0; i < 400; ++i) {
        const built_topology& t = all[i % all.size()];
        element_case c = {{1 + random() % 60, 1 + random() % 5, element_bytes},
                          random_layout(random, t->dies,
                                        {chm_place_replicate, chm_place_shard, chm_place_partial}),
                          {},
                          {1, 1, 0, 0}};
        for (uint32_t d = 0; d < 1 + random() % 2; ++d) {
            c.demands.push_back(
                random_layout(random, t->dies, {chm_place_replicate, chm_place_shard}));
        }
        const uint64_t expected = by_definition(*t, c).bound();
        ASSERT_EQ(bound_of(*t, c), expected) << "case " << i << " on " << t->name;
        moved += expected != 0;
    }
    EXPECT_GT(moved, 300u);
}

TEST(bound_elements, routed_layouts_agree_with_the_definition) {
    std::mt19937 random(2);
    const auto all = topologies();
    for (int i = 0; i < 200; ++i) {
        const built_topology& t = all[i % all.size()];
        const built_layout routed(
            {2, 2}, std::vector<chm_placement>(2, i % 2 ? routed_copy() : routed_partial()),
            {static_cast<uint32_t>(i) % 3, 4, 3, 5});
        built_layout rows({3}, {random() % 2 ? tokens() : replicate()}, {1, 4, 0});
        const chm_routing routing = {1 + static_cast<uint32_t>(random() % 3), 4,
                                     random() % 2 ? 0.5 : 0.0, 5};
        element_case c = {{1 + random() % 80, 1 + random() % 5, element_bytes},
                          i % 2 ? rows : routed,
                          {i % 2 ? routed : rows},
                          routing};
        ASSERT_EQ(bound_of(*t, c), by_definition(*t, c).bound())
            << "case " << i << " on " << t->name;
    }
}
