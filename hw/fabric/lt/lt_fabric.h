// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>

#include "hw/fabric/lt/lt_interface.h"
#include "hw/fabric/lt/lt_router.h"

namespace chimera::fabric {

// The modules of a loosely timed fabric: a router per node and an interface per port of a die, with
// the names of the topology, bound by a pair of sockets per link. Made inside the constructor of
// the module that holds it, below which the names then are.
class lt_fabric {
public:
    lt_fabric(const chm_topology& topology, const fabric_params& params, fabric_shared& shared);
    ~lt_fabric();

    // By the number of the port among those of all dies.
    lt_interface& interface(uint32_t port) { return *m_interfaces[port]; }
    const lt_interface& interface(uint32_t port) const { return *m_interfaces[port]; }
    lt_router& node_router(uint32_t node) { return *m_routers[node]; }
    const lt_router& node_router(uint32_t node) const { return *m_routers[node]; }

    const chunk_pool& chunks() const { return m_chunks; }

private:
    void bind_links();

    lt_turns m_turns;
    chunk_pool m_chunks;
    head_pool m_heads;
    const lt_context m_context;
    std::vector<std::unique_ptr<lt_router>> m_routers;
    std::vector<std::unique_ptr<lt_interface>> m_interfaces;
};

} // namespace chimera::fabric
