// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/network_port.h"

namespace chimera::fabric {

// The ports of a die that has several, as its client sees them: one place on the network. Each port
// is an interface of its own, asks the client for itself and gives it what arrives there.
class port_group : public network_port {
public:
    // `topology` must outlive the object, and its routes stay as they are; `seed` is that of random
    // ones.
    port_group(const chm_topology& topology, uint64_t seed) : m_topology(topology), m_seed(seed) {}

    // Not owned; in the order of their numbers.
    void add(network_port& port) { m_ports.push_back(&port); }

    void set_client(network_client* client) override;
    void wake(uint64_t now) override;
    void wake_port(uint32_t port, uint64_t now) override { m_ports[port]->wake(now); }
    uint32_t die() const override { return m_ports.front()->die(); }
    uint32_t ports() const override { return static_cast<uint32_t>(m_ports.size()); }
    uint32_t port_of(uint32_t destination, uint64_t message, uint64_t index) const override;

    // Sums over the ports, made when asked for.
    const network_interface_statistics& statistics() const override;

private:
    const chm_topology& m_topology;
    uint64_t m_seed;
    std::vector<network_port*> m_ports;
    mutable network_interface_statistics m_statistics;
};

} // namespace chimera::fabric
