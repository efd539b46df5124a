// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "hw/base/clock.h"
#include "hw/fabric/fabric_params.h"
#include "hw/fabric/fabric_shared.h"
#include "hw/fabric/faults/fault_link.h"
#include "hw/fabric/lt/lt_fabric.h"
#include "hw/fabric/network_interface.h"
#include "hw/fabric/packet.h"
#include "hw/fabric/port_group.h"
#include "hw/fabric/router.h"

namespace chimera::fabric {

// A topology as modules: a router per node and a network interface per port of a die, with the
// topology's names ("router_3_2", "ni_3_2" for "die_3_2"), and a pair of sockets per link. The
// modules are those of the fidelity that the parameters ask for; clients and statistics are the
// same.
class fabric : public sc_core::sc_module {
public:
    // `topology` must outlive the module; it has passed chm_topology_check. `params` is copied.
    fabric(const sc_core::sc_module_name& name, const chm_topology& topology,
           const fabric_params& params);
    ~fabric() override;

    const chm_topology& topology() const { return m_topology; }
    // As it was given, with the routes from before anything failed. These decide by which port of
    // its die a packet leaves, for good: clients sort by it.
    const chm_topology& intact_topology() const { return m_intact; }
    const fabric_params& params() const { return m_params; }
    uint64_t clock_khz() const { return m_clock_khz; }
    packet_pool& packets() { return m_shared.packets; }
    // Whether clients may send trains: not where packets carry data, ports stall at random,
    // windows count single packets links lose them or fail.
    bool trains() const {
        return m_params.trains && m_params.buffer_bytes == 0 && m_params.stall_probability <= 0 &&
               m_params.window_round_trips <= 0 && m_lt == nullptr && !m_params.lossy() &&
               m_outage == nullptr;
    }
    // A die's place on the network; of a die with several ports, all of them.
    network_port& interface(uint32_t die) { return *m_places[die]; }
    // The modules of the loosely timed fabric; null if this one is approximately timed, whose
    // routers are the following.
    const lt_fabric* loosely_timed() const { return m_lt.get(); }
    const router& node_router(uint32_t node) const { return *m_routers[node]; }

    // Who is told of a node's packets; null: nobody. Trains pass unseen.
    void set_observer(uint32_t node, trace::observer* observer);

    // Lets routers, which decide for a cycle some cycles later, decide for all until the present
    // one, `now`, when the kernel runs next.
    void settle(uint64_t now);

    const fabric_statistics& statistics() const { return m_shared.statistics; }
    // Cycles link `id` (index in the topology) carried flits.
    uint64_t link_busy_cycles(uint32_t link) const;
    // Sums over links that lose packets.
    link_fault_statistics link_faults() const;
    // Null: nothing fails.
    const outage* failures() const { return m_outage.get(); }

    // Faults found at elaboration, one per line; "" if none. Known after the first sc_start.
    const std::string& faults() const { return m_shared.faults; }

    // For the watchdog: packets injected and not arrived; something that changes with every move;
    // the packets that are stuck and what they wait for (at most `limit` lines).
    uint64_t in_flight() const;
    uint64_t movements() const;
    std::string describe_stuck(size_t limit = 16) const;

    // True when every buffer is empty and every credit is back where it belongs.
    bool idle() const;

private:
    void make_routers();
    void make_interfaces();
    void make_fault_links();
    void make_places();
    void bind_links();

    const chm_topology& m_intact;
    chm_topology m_routed; // a copy, whose routing changes when something fails
    const chm_topology& m_topology = m_routed;
    const fabric_params m_params;
    uint64_t m_clock_khz;
    fabric_shared m_shared;
    std::vector<std::unique_ptr<router>> m_routers;
    std::vector<std::unique_ptr<network_interface>> m_interfaces; // ports of all dies
    std::unique_ptr<outage> m_outage;                             // null: nothing fails
    std::vector<std::unique_ptr<fault_link>> m_fault_links; // by link; null: it is without faults
    std::unique_ptr<lt_fabric> m_lt;                        // instead of all
    std::vector<std::unique_ptr<port_group>> m_groups;      // of dies with several ports
    std::vector<network_port*> m_places;                    // by die
};

} // namespace chimera::fabric
