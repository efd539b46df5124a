// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/fabric/network_client.h"

namespace chimera::fabric {

struct network_interface_statistics {
    uint64_t injected_packets = 0, injected_flits = 0;
    uint64_t injected_payload_bytes = 0, injected_metadata_bytes = 0;
    uint64_t ejected_packets = 0, ejected_flits = 0;
    uint64_t ejected_payload_bytes = 0, ejected_metadata_bytes = 0;
    uint64_t ejected_hops = 0;      // links between routers, summed over packets
    uint64_t ejected_byte_hops = 0; // (payload + metadata) * such links
};

// A die's place on the network as its client sees it, whatever the fidelity.
class network_port {
public:
    virtual ~network_port() = default;

    // Not owned; must be set before the first wake or arrival.
    virtual void set_client(network_client* client) = 0;

    // The client has something to send from cycle `now`, the present cycle or a later one. The
    // interface asks for it in a later delta cycle of that time (or when the port is free again),
    // so that all that becomes ready in one cycle is seen together. The nearest wake wins; wakes
    // are not counted.
    virtual void wake(uint64_t now) = 0;

    // Of a die with several ports: for one of them only. A client that has nothing for the port
    // that asks wakes it for when it will.
    virtual void wake_port(uint32_t port, uint64_t now) {
        (void)port;
        wake(now);
    }

    virtual uint32_t die() const = 0;

    // How many ports the die has, each with its own injection and ejection.
    virtual uint32_t ports() const { return 1; }

    // The one by which packet `index` of a message leaves: golden's chm_topology_port_out, by the
    // routes from before anything failed.
    virtual uint32_t port_of(uint32_t destination, uint64_t message, uint64_t index) const {
        (void)destination, (void)message, (void)index;
        return 0;
    }

    virtual const network_interface_statistics& statistics() const = 0;
};

} // namespace chimera::fabric
