// SPDX-License-Identifier: Apache-2.0
#include "bench/machine.h"

#include <memory>
#include <stdexcept>

#include "bench/bench.h"

namespace chimera::bench {

namespace {

constexpr uint64_t step_ps = 1000000; // between looks at the clock: 1,000 cycles of 1 GHz

void require(const kernel::run_result& result) {
    if (result.status != chm_ok) {
        throw std::runtime_error(result.text);
    }
}

} // namespace

machine::machine(const mesh& platform, const chm_graph& graph, chm_fidelity fidelity)
    : m_fidelity(fidelity) {
    fabric::fabric_params params;
    params.fidelity = fidelity;
    kernel::context::entry inside(m_context);
    const cpu_timer timer;
    require(m_context.build([&] {
        m_network =
            &m_context.own(std::make_unique<fabric::fabric>("fabric", platform.topology(), params));
        m_player = &m_context.own(std::make_unique<fabric::replay>("replay", *m_network, graph));
    }));
    require(m_context.run(0));
    m_elaboration = timer.seconds();
}

double machine::run(double seconds) {
    kernel::context::entry inside(m_context);
    const cpu_timer timer;
    double taken = 0;
    while (!m_player->finished() && taken < seconds) {
        require(m_context.run(m_until_ps += step_ps));
        taken = timer.seconds();
    }
    return taken;
}

double machine::run_to_end() {
    kernel::context::entry inside(m_context);
    const cpu_timer timer;
    require(fabric::run_watched(m_context, *m_network, *m_player));
    return timer.seconds();
}

double machine::hops() const {
    const fabric::replay_result result = m_player->result();
    const auto packet_hops = static_cast<double>(result.packet_hops);
    // All messages of a workload have the same size.
    return m_fidelity == chm_fidelity_at ? packet_hops
                                         : packet_hops * static_cast<double>(result.messages) /
                                               static_cast<double>(result.packets);
}

} // namespace chimera::bench
