// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "hw/base/arena.h"
#include "hw/fabric/fabric_params.h"
#include "hw/fabric/fabric_shared.h"
#include "hw/fabric/packet.h"
#include "hw/golden/network/failure.h"
#include "hw/golden/network/route_table.h"
#include "hw/kernel/wakeup.h"

namespace chimera::fabric {

// What an interface is told.
class outage_listener {
public:
    virtual ~outage_listener() = default;
    virtual void resume(uint64_t cycle) = 0; // injection is open from then on
};

struct outage_statistics {
    uint64_t returned = 0; // packets that were cut off on their way and given back to their source
    uint64_t lost = 0;     // packets that could not be sent, or reached a die that had failed
};

// Links and dies that fail at a time, and what the fabric does about it: from then on nothing is
// injected, what is under way arrives by the old ways or, where these lead over a link that has
// failed, is given back to its source; when the network is empty, all routers change at once to
// up*-down* ways over what is left, and injection goes on. There is one only where failures are
// asked for.
class outage : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(outage);

    static constexpr uint64_t never = kernel::never;

    // `routed` is the topology that routers ask for ways: its routing is replaced. All must outlive
    // the module.
    outage(const sc_core::sc_module_name& name, chm_topology& routed, const fabric_params& params,
           fabric_shared& shared);
    ~outage() override;

    void add_listener(outage_listener& listener) { m_listeners.push_back(&listener); }

    // The cycle from which a link passes nothing.
    uint64_t link_fails_at(uint32_t link) const { return m_link_fails[link]; }

    // Asked by interfaces. All answers depend on the cycle only, not on who was run first in it.
    bool closed(uint32_t die, uint64_t now) const {
        return now >= m_closes_at || now < m_opens_at || dead(die, now);
    }
    uint64_t opens_at() const { return m_opens_at; } // or opened, the last time; not known yet: 0
    bool dead(uint32_t die, uint64_t now) const { return now >= m_die_fails[die]; }
    bool reaches(uint32_t from, uint32_t to) const;
    packet* take_returned(uint32_t die);

    // Told by links: a packet that does not come across; it is back at its source after `cycle`.
    void cut(packet* item, uint64_t cycle);
    // Told by interfaces: a packet that arrived, or one that nobody will ever get. `sent`: it was
    // in the network.
    void arrived(uint64_t now) { departed(now); }
    void lose(packet* item, uint64_t now, bool sent);

    bool has_failed(const chm_failure& item) const {
        return m_happened > 0 && item.cycle <= m_failures[m_happened - 1].cycle;
    }
    const outage_statistics& statistics() const { return m_statistics; }
    // A die has failed, or something could not be sent.
    bool severed() const { return !m_unreached.empty() || m_dead_dies > 0; }
    // What has failed so far, and who cannot reach whom; "" before the first failure.
    std::string describe() const;

private:
    using way = std::pair<uint32_t, uint32_t>; // dies: from, to

    void start_of_simulation() override;
    void activate();
    void departed(uint64_t cycle);
    void change_routes(uint64_t now);
    uint32_t best_root(const std::vector<uint8_t>& dead) const;

    chm_topology& m_routed;
    const fabric_params& m_params;
    fabric_shared& m_shared;
    std::vector<chm_failure> m_failures; // by time
    size_t m_happened = 0;               // of them
    std::vector<uint64_t> m_link_fails, m_die_fails;
    uint32_t m_dead_dies = 0;
    std::vector<outage_listener*> m_listeners;
    kernel::wakeup m_wakeup;
    chm_arena m_arena;
    const chm_route_table* m_table = nullptr; // null: the platform's own ways
    uint64_t m_closes_at = never, m_opens_at = 0;
    bool m_draining = false;
    uint64_t m_last_departure = 0;                // of a packet from the network
    std::vector<std::vector<packet*>> m_returned; // [dies] latest first
    std::map<way, uint64_t> m_unreached;          // packets
    outage_statistics m_statistics;
};

} // namespace chimera::fabric
