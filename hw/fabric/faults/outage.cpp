// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/faults/outage.h"

#include <algorithm>
#include <new>

namespace chimera::fabric {

namespace {
constexpr size_t most_ways = 16; // reported

chm_failure at_time(uint64_t cycle) {
    chm_failure failure{};
    failure.cycle = cycle;
    return failure;
}

bool earlier(const chm_failure& a, const chm_failure& b) {
    return a.cycle < b.cycle;
}

bool later(const packet* a, const packet* b) {
    return a->injected > b->injected;
}
} // namespace

outage::outage(const sc_core::sc_module_name& name, chm_topology& routed,
               const fabric_params& params, fabric_shared& shared)
    : sc_core::sc_module(name), m_routed(routed), m_params(params), m_shared(shared),
      m_failures(params.failures), m_link_fails(routed.link_count, never),
      m_die_fails(routed.dies, never), m_wakeup("wakeup", chm_clock_khz(routed.clock_ghz)),
      m_returned(routed.dies) {
    chm_arena_init(&m_arena);
    std::stable_sort(m_failures.begin(), m_failures.end(), earlier);
    std::vector<uint8_t> dead(routed.link_count);
    for (const chm_failure& item : m_failures) {
        chm_failure_mark(&item, &routed, dead.data());
        for (uint32_t link = 0; link < routed.link_count; ++link) {
            if (dead[link] != 0) {
                m_link_fails[link] = std::min(m_link_fails[link], item.cycle);
            }
        }
        if (item.kind == chm_failure_die) {
            uint64_t& fails = m_die_fails[item.first];
            fails = std::min(fails, item.cycle);
        }
    }
    m_closes_at = m_failures.empty() ? never : m_failures.front().cycle;
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void outage::start_of_simulation() {
    if (!m_failures.empty()) {
        m_wakeup.at(m_failures.front().cycle);
    }
}

outage::~outage() {
    chm_arena_free(&m_arena);
}

bool outage::reaches(uint32_t from, uint32_t to) const {
    return m_table == nullptr || (chm_route_table_has(m_table, m_routed.die_node[from], to) &&
                                  (m_die_fails[to] == never || m_happened == 0 ||
                                   m_die_fails[to] > m_failures[m_happened - 1].cycle));
}

packet* outage::take_returned(uint32_t die) {
    if (m_returned[die].empty()) {
        return nullptr;
    }
    packet* item = m_returned[die].back();
    m_returned[die].pop_back();
    return item;
}

void outage::cut(packet* item, uint64_t cycle) {
    item->hops = 0;
    m_returned[item->source].push_back(item);
    ++m_statistics.returned;
    ++m_shared.left_packets;
    if (!m_shared.senders.empty()) {
        m_shared.sender_of(m_routed, *item)
            .file_acknowledgement(item->destination, item->flits, cycle);
    }
    departed(cycle);
}

void outage::lose(packet* item, uint64_t now, bool sent) {
    ++m_statistics.lost;
    ++m_unreached[{item->source, item->destination}];
    m_shared.packets.give(item);
    if (sent) {
        ++m_shared.left_packets;
        departed(now);
    }
}

// A packet has left the network in that cycle, the present one or a later one.
void outage::departed(uint64_t cycle) {
    m_last_departure = std::max(m_last_departure, cycle);
    if (m_draining && m_shared.in_flight() == 0) {
        m_wakeup.at(m_last_departure + 1);
    }
}

// Decides a cycle after the last packet has left, so that it does not matter who runs first.
void outage::activate() {
    const uint64_t now = m_wakeup.fired();
    if (!m_draining && m_happened < m_failures.size() && m_failures[m_happened].cycle <= now) {
        m_draining = true;
        m_last_departure = std::max(m_last_departure, now);
    }
    if (m_draining && m_shared.in_flight() == 0) {
        if (m_last_departure < now) {
            change_routes(now);
        } else {
            m_wakeup.at(m_last_departure + 1);
        }
    }
    if (!m_draining && m_happened < m_failures.size()) {
        m_wakeup.at(m_failures[m_happened].cycle);
    }
}

// Where most links are left, so that ways lead over it; of equals the first.
uint32_t outage::best_root(const std::vector<uint8_t>& dead) const {
    std::vector<uint32_t> links(m_routed.nodes);
    for (uint32_t id = 0; id < m_routed.link_count; ++id) {
        links[m_routed.links[id].from_node] += dead[id] == 0 ? 1 : 0;
    }
    return static_cast<uint32_t>(std::max_element(links.begin(), links.end()) - links.begin());
}

void outage::change_routes(uint64_t now) {
    m_draining = false;
    const auto next = std::upper_bound(m_failures.begin(), m_failures.end(), at_time(now), earlier);
    m_happened = static_cast<size_t>(next - m_failures.begin());
    m_dead_dies = 0;
    for (uint32_t die = 0; die < m_routed.dies; ++die) {
        m_dead_dies += dead(die, now) ? 1 : 0;
    }
    std::vector<uint8_t> dead_links(m_routed.link_count);
    for (uint32_t link = 0; link < m_routed.link_count; ++link) {
        dead_links[link] = m_link_fails[link] <= now ? 1 : 0;
    }
    chm_route_table* table = nullptr;
    if (chm_route_table_new(&m_routed, &m_arena, &table) != chm_ok ||
        chm_route_table_up_down(&m_routed, best_root(dead_links), dead_links.data(), table,
                                &m_arena) != chm_ok) {
        throw std::bad_alloc();
    }
    m_table = table;
    for (std::vector<packet*>& items : m_returned) {
        std::sort(items.begin(), items.end(), later);
    }
    m_opens_at = now + m_params.reroute_cycles;
    m_closes_at = next == m_failures.end() ? never : next->cycle;
    for (outage_listener* listener : m_listeners) {
        listener->resume(m_opens_at);
    }
}

std::string outage::describe() const {
    std::string text;
    char name[256];
    for (size_t i = 0; i < m_happened; ++i) {
        chm_failure_name(&m_failures[i], &m_routed, name, sizeof name);
        text +=
            std::string(name) + " failed at cycle " + std::to_string(m_failures[i].cycle) + "\n";
    }
    size_t ways = 0;
    for (const auto& [pair, packets] : m_unreached) {
        if (ways++ < most_ways) {
            text += std::string(m_routed.die_names[pair.first]) + " cannot reach " +
                    m_routed.die_names[pair.second] + ": " + std::to_string(packets) +
                    " packets lost\n";
        }
    }
    if (ways > most_ways) {
        text += "and " + std::to_string(ways - most_ways) + " pairs more\n";
    }
    return text;
}

} // namespace chimera::fabric
