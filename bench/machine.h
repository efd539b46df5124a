// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bench/workloads.h"
#include "hw/fabric/replay.h"
#include "hw/kernel/context.h"

namespace chimera::bench {

// A workload with its modules, ready to run from cycle 0 on; default parameters but for fidelity.
// Both arguments must outlive it. Throws std::runtime_error if the kernel refuses.
class machine {
public:
    machine(const mesh& platform, const chm_graph& graph, chm_fidelity fidelity);

    double elaboration_seconds() const { return m_elaboration; } // of CPU time

    // Runs until it took so many CPU seconds, or to the end; returns those it took.
    double run(double seconds);
    double run_to_end();
    bool finished() const { return m_player->finished(); }

    // Links between routers crossed by packets or, loosely timed, by messages; and kernel events.
    double hops() const;
    double events() const { return static_cast<double>(m_player->result().activations); }

private:
    kernel::context m_context;
    chm_fidelity m_fidelity;
    fabric::fabric* m_network = nullptr;
    fabric::replay* m_player = nullptr;
    double m_elaboration = 0;
    uint64_t m_until_ps = 0;
};

} // namespace chimera::bench
