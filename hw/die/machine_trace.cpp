// SPDX-License-Identifier: Apache-2.0
// A machine that is looked at while it runs.
#include "hw/base/clock.h"
#include "hw/die/machine.h"

namespace chimera::die {

chm_status machine::start_trace(const trace::trace_request& request, chm_diagnostics* diagnostics) {
    if (m_failure.status != chm_ok || m_tracer != nullptr) {
        chm_diagnose(diagnostics, nullptr, "%s",
                     m_tracer != nullptr ? "a trace is on; allowed: to stop it first"
                                         : "nothing to trace: the run has failed");
        return chm_bad_argument;
    }
    kernel::context::entry inside(m_kernel);
    const uint64_t khz = m_network->clock_khz();
    const uint32_t channels =
        static_cast<uint32_t>(m_parameters.dma.channels) * chm_topology_most_ports(&m_topology);
    const trace::machine_shape shape = {&m_topology, &m_workload, khz, channels};
    const chm_status status = trace::tracer::start(
        m_tracer, shape, request,
        [this, khz] { return chm_clock_ps_to_cycles(m_kernel.now_ps(), khz); }, diagnostics);
    if (status == chm_ok) {
        observe(m_tracer.get());
    }
    return status;
}

bool machine::stop_trace(std::string* unwritten) {
    if (m_tracer == nullptr) {
        return true;
    }
    kernel::context::entry inside(m_kernel);
    if (!m_kernel.failed() && m_kernel.pending()) {
        m_network->settle(chm_clock_ps_to_cycles(m_kernel.now_ps(), m_network->clock_khz()));
        m_kernel.run(m_kernel.now_ps());
    }
    observe(nullptr);
    const bool written = m_tracer->finish();
    if (unwritten != nullptr) {
        *unwritten = m_tracer->unwritten();
    }
    m_trace_late = m_tracer->late();
    m_tracer = nullptr;
    return written;
}

// Modules of which nothing is wanted have no observer.
void machine::observe(trace::tracer* tracer) {
    const uint64_t now = chm_clock_ps_to_cycles(m_kernel.now_ps(), m_network->clock_khz());
    for (die* each : m_dies) {
        each->set_observer(tracer != nullptr ? tracer->of_die(each->id()) : nullptr, now);
    }
    for (uint32_t node = 0; node < m_topology.nodes; ++node) {
        m_network->set_observer(node, tracer != nullptr ? tracer->of_node(node) : nullptr);
    }
}

} // namespace chimera::die
