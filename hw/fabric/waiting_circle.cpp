// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/waiting_circle.h"

#include <algorithm>

namespace chimera::fabric {

namespace {

// An input channel of a router.
struct place {
    uint32_t node, channel;
    bool operator==(const place& other) const {
        return node == other.node && channel == other.channel;
    }
};

class circle_search {
public:
    circle_search(const chm_topology& topology, const std::vector<std::unique_ptr<router>>& routers)
        : m_topology(topology), m_routers(routers), m_seen(routers.size()) {
        for (size_t node = 0; node < routers.size(); ++node) {
            m_seen[node].resize(routers[node]->core().channels());
        }
    }

    std::vector<place> find() {
        for (uint32_t node = 0; node < m_routers.size(); ++node) {
            for (uint32_t channel = 0; channel < m_seen[node].size(); ++channel) {
                std::vector<place> way = follow({node, channel});
                if (!way.empty()) {
                    return way;
                }
            }
        }
        return {};
    }

    // Where the head of a queue waits for the next place; false if it waits for nobody.
    bool next(const place& at, place& to) const {
        const router_core::blocker why = m_routers[at.node]->core().blocked_by(at.channel);
        if (why.reason == router_core::blocker::held) {
            to = {at.node, why.holder};
            return true;
        }
        const uint32_t id = chm_node_output_link(&m_topology, at.node, why.output);
        if (why.reason != router_core::blocker::no_room || id == UINT32_MAX) {
            return false;
        }
        const chm_link& link = m_topology.links[id];
        to = {link.to_node, link.to_port * m_topology.vcs + why.vc};
        return true;
    }

private:
    // Who is blocked for ever has all it could take blocked for ever, so one reason for each is
    // enough to walk into a circle. Places seen on an earlier walk lead to none.
    std::vector<place> follow(place at) {
        std::vector<place> way;
        while (!m_seen[at.node][at.channel]) {
            m_seen[at.node][at.channel] = true;
            way.push_back(at);
            if (!next(at, at)) {
                return {};
            }
        }
        const auto begin = std::find(way.begin(), way.end(), at);
        return {begin, way.end()};
    }

    const chm_topology& m_topology;
    const std::vector<std::unique_ptr<router>>& m_routers;
    std::vector<std::vector<bool>> m_seen;
};

} // namespace

std::string describe_circle(const chm_topology& topology,
                            const std::vector<std::unique_ptr<router>>& routers) {
    const std::vector<place> way = circle_search(topology, routers).find();
    std::string text;
    for (size_t i = 0; i < way.size(); ++i) {
        const place& at = way[i];
        const place& to = way[(i + 1) % way.size()];
        const packet& item = routers[at.node]->core().head(at.channel);
        text += std::string(i == 0 ? "deadlock, a circle of waits: " : "  which waits for ") +
                topology.node_names[at.node] + " input " +
                std::to_string(at.channel / topology.vcs) + " channel " +
                std::to_string(at.channel % topology.vcs) + " (packet " +
                std::to_string(item.message) + "." + std::to_string(item.index) + " from die " +
                std::to_string(item.source) + " to die " + std::to_string(item.destination) +
                (to.node == at.node
                     ? ", for a channel held there)\n"
                     : std::string(", for room at ") + topology.node_names[to.node] + ")\n");
    }
    return way.empty() ? text : text + "  which waits for the first\n";
}

} // namespace chimera::fabric
