// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/graph_builder.h"

#include <algorithm>
#include <numeric>

namespace chimera::dma {

namespace {
constexpr size_t longest_cause = 4; // nodes that are listed rather than joined
}

uint32_t graph_builder::add(const event& item, const cause& after) {
    m_nodes.push_back(item);
    m_nodes.back().first_after = m_after.size();
    m_nodes.back().after_count = static_cast<uint32_t>(after.size());
    m_after.insert(m_after.end(), after.begin(), after.end());
    return static_cast<uint32_t>(m_nodes.size() - 1);
}

uint32_t graph_builder::send(uint32_t die, uint32_t destination, const cause& after, uint64_t issue,
                             uint32_t route) {
    m_causal = m_causal && (after.empty() ? issue == 0 : ends(after) + 1 == issue);
    event item;
    item.issue = item.end = issue;
    item.die = die;
    item.destination = destination;
    item.route = route;
    item.sends = true;
    return add(item, after);
}

void graph_builder::arrived(uint32_t id, uint64_t now) {
    m_nodes[id].end = std::max(m_nodes[id].end, now);
}

uint32_t graph_builder::compute(uint32_t die, const cause& after, uint64_t end) {
    event item;
    item.issue = after.empty() ? 0 : ends(after) + 1;
    m_causal = m_causal && item.issue <= end;
    item.bytes = end - std::min(end, item.issue);
    item.end = end;
    item.die = die;
    return add(item, after);
}

cause graph_builder::usable_at(uint32_t die, const cause& what, uint64_t t) {
    if (what.empty() ? t == 0 : ends(what) + 1 == t) {
        return what;
    }
    return {compute(die, what, t - 1)};
}

uint64_t graph_builder::ends(const cause& what) const {
    uint64_t last = 0;
    for (uint32_t id : what) {
        last = std::max(last, m_nodes[id].end);
    }
    return last;
}

void graph_builder::unite(uint32_t die, cause& what, const cause& other) {
    cause both;
    both.reserve(what.size() + other.size());
    std::set_union(what.begin(), what.end(), other.begin(), other.end(), std::back_inserter(both));
    what = std::move(both);
    if (what.size() > longest_cause) {
        join(die, what);
    }
}

// A compute of no cycles ends a cycle after its last dependency: it can stand for all that were
// over before the last.
void graph_builder::join(uint32_t die, cause& what) {
    const uint64_t last = ends(what);
    cause early, rest;
    for (uint32_t id : what) {
        (m_nodes[id].end < last ? early : rest).push_back(id);
    }
    if (early.size() < 2) {
        return;
    }
    rest.push_back(compute(die, early, ends(early) + 1)); // the newest node: still ascending
    what = std::move(rest);
}

void graph_builder::conclude(uint32_t die, const cause& what, uint64_t t) {
    cause before;
    for (uint32_t id : what) {
        const event& item = m_nodes[id];
        if ((item.sends ? item.end : item.issue) + 1 == t) {
            return;
        }
        if (item.end + 1 == t) { // a compute that started earlier: what it waited for
            const uint32_t* after = m_after.data() + item.first_after;
            unite(die, before, cause(after, after + item.after_count));
        } else {
            unite(die, before, {id});
        }
    }
    if (t != 0) {
        compute(die, usable_at(die, before, t - 1), t - 1);
    }
}

const chm_graph& graph_builder::finish(bool random_routes) {
    // Sends of one die that are issued together are in the order in which they left.
    std::vector<uint32_t> order(m_nodes.size()), place(m_nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        const event &x = m_nodes[a], &y = m_nodes[b];
        return x.issue != y.issue ? x.issue < y.issue : x.die < y.die;
    });
    for (uint32_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
    }
    m_first.assign(1, 0);
    for (uint32_t i = 0; i < order.size(); ++i) {
        const event& item = m_nodes[order[i]];
        m_items.push_back(
            item.sends ? chm_graph_node{chm_graph_send, item.die, item.destination, item.bytes, 0}
                       : chm_graph_node{chm_graph_compute, item.die, 0, 0, item.bytes});
        m_ends.push_back(item.end);
        const uint64_t number = uint64_t{i} + 1;
        m_ids.push_back(random_routes ? number << 32 | item.route : number);
        for (uint32_t a = 0; a < item.after_count; ++a) {
            m_sorted_after.push_back(place[m_after[item.first_after + a]]);
        }
        std::sort(m_sorted_after.begin() + static_cast<std::ptrdiff_t>(m_first.back()),
                  m_sorted_after.end());
        m_first.push_back(m_sorted_after.size());
    }
    std::vector<event>().swap(m_nodes);
    std::vector<uint32_t>().swap(m_after);
    m_graph = {m_items.data(), static_cast<uint32_t>(m_items.size()), m_first.data(),
               m_sorted_after.data(), m_ids.data()};
    return m_graph;
}

} // namespace chimera::dma
