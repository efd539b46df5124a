// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads.h"

#include <new>

#include "platforms/platform.h"

namespace chimera::bench {

mesh::mesh(uint32_t side) {
    chm_arena_init(&m_arena);
    chm_parameters parameters;
    chm_parameters_default(&parameters);
    const uint32_t extent[3] = {side, side, 1};
    if (chm_build_mesh(&m_topology, extent, 2, &parameters.fabric, &m_arena) != chm_ok) {
        chm_arena_free(&m_arena);
        throw std::bad_alloc();
    }
}

chm_graph message_list::graph() const {
    m_first_after.assign(m_nodes.size() + 1, 0);
    return {m_nodes.data(), static_cast<uint32_t>(m_nodes.size()), m_first_after.data(), nullptr,
            nullptr};
}

} // namespace chimera::bench
