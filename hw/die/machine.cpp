// SPDX-License-Identifier: Apache-2.0
#include "hw/die/machine.h"

#include <algorithm>
#include <utility>

#include "hw/die/value_content.h"
#include "hw/dma/message_format.h"

namespace chimera::die {

machine::machine(const chm_topology& topology, const chm_parameters& parameters,
                 const chm_workload& workload, const machine_options& options)
    : m_topology(topology), m_parameters(parameters), m_workload(workload), m_options(options) {
    check();
    if (m_failure.status == chm_ok && m_options.data) {
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        m_failure.status = chm_truth_create(&m_truth, &workload, options.seed,
                                            options.random_floats, &diagnostics);
        m_failure.text = chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
    }
    if (m_failure.status == chm_ok) {
        m_uses = std::make_unique<memory::use_table>(workload);
        m_recipes = std::make_unique<fusion::recipe_book>(topology, parameters, workload);
        m_decisions =
            std::make_unique<fusion::decision_log>(topology.dies, workload.operation_count);
        if (options.record) {
            m_recorder = std::make_unique<dma::run_recorder>(topology);
        }
        kernel::context::entry inside(m_kernel);
        m_failure = m_kernel.build([this] { build(); });
    }
}

machine::~machine() {
    stop_trace();
    // The modules go with m_kernel, which is the last member; the truth outlives them.
    chm_truth_free(m_truth);
}

// What the hardware refuses when communicators are registered.
void machine::check() {
    if (m_workload.dies != m_topology.dies) {
        fault(chm_bad_argument, "the workload is for " + std::to_string(m_workload.dies) +
                                    " dies, the platform has " + std::to_string(m_topology.dies));
    }
    const chm_engine_params& engine = m_parameters.engine;
    const uint64_t most = std::min(engine.window_depth_max, engine.ring_entries - 2);
    for (uint32_t i = 0; i < m_workload.tables.communicator_count; ++i) {
        const chm_communicator& asks = m_workload.tables.communicators[i];
        if (asks.window_depth < 1 || asks.window_depth > most) {
            fault(chm_bad_argument,
                  "communicator '" + std::string(asks.name != nullptr ? asks.name : "") +
                      "' asks for a window of " + std::to_string(asks.window_depth) +
                      "; allowed: 1 .. " + std::to_string(most) +
                      " (window_depth_max, and ring_entries - 2)");
        }
    }
}

void machine::build() {
    fabric::fabric_params params;
    params.seed = m_options.seed + m_options.stall_seed;
    params.stall_probability = m_options.stall_probability;
    params.take(m_parameters.fabric);
    params.failures = m_options.failures;
    params.buffer_bytes =
        m_options.data ? dma::part_buffer_bytes(m_parameters.fabric.mtu_bytes) : 0;
    m_network = &m_kernel.own(std::make_unique<fabric::fabric>("fabric", m_topology, params));

    m_shared.clock_khz = m_network->clock_khz();
    m_shared.parameters = &m_parameters;
    m_shared.workload = &m_workload;
    m_shared.uses = m_uses.get();
    m_shared.truth = m_truth;
    m_shared.packets = &m_network->packets();
    m_shared.recipes = m_recipes.get();
    m_shared.decisions = m_decisions.get();
    m_shared.observer = this;
    m_shared.recorder = m_recorder.get();
    m_shared.injected = &m_options.injected;
    m_shared.bind = m_options.bind ? &m_options.bind : nullptr;
    for (uint32_t id = 0; id < m_topology.dies; ++id) {
        m_dies.push_back(&m_kernel.own(std::make_unique<die>(m_topology.die_names[id], m_shared, id,
                                                             m_network->interface(id))));
    }
}

kernel::run_result machine::run(uint64_t until_ps) {
    if (m_failure.status != chm_ok) {
        return m_failure;
    }
    kernel::context::entry inside(m_kernel);
    const kernel::run_result result = fabric::run_watched(m_kernel, *m_network, *this, until_ps);
    if (m_failure.status == chm_ok && result.status != chm_ok) {
        m_failure = result;
    }
    check_failed_dies();
    if (m_tracer != nullptr) {
        m_tracer->flush();
    }
    return m_failure;
}

uint64_t machine::now_ps() {
    kernel::context::entry inside(m_kernel);
    return m_kernel.now_ps();
}

bool machine::finished() const {
    return m_failure.status != chm_ok ||
           std::all_of(m_dies.begin(), m_dies.end(), [](const die* d) { return d->finished(); });
}

bool machine::timed_work_pending() const {
    return std::any_of(m_dies.begin(), m_dies.end(),
                       [](const die* d) { return d->timed_work_pending(); });
}

// All is done, but not if a die that had failed did some of it: nobody waited for that part.
void machine::check_failed_dies() {
    if (m_failure.status != chm_ok || !finished()) {
        return;
    }
    for (const chm_failure& item : m_options.failures) {
        const uint64_t end =
            item.kind == chm_failure_die ? m_dies[item.first]->last_completion() : 0;
        if (end > item.cycle) {
            fault(chm_unreachable, std::string(m_topology.die_names[item.first]) +
                                       " failed at cycle " + std::to_string(item.cycle) +
                                       ", before its work was done (at " + std::to_string(end) +
                                       ")\n");
        }
    }
}

// The runs under way that a die takes part in which has failed.
void machine::describe_need(const chm_failure& failed, std::string& text) const {
    for (const fusion::run_recipe* run : m_decisions->runs()) {
        const bool waits = std::any_of(m_dies.begin(), m_dies.end(), [run](const die* d) {
            return d->fusion_engine().is_running(run->seq());
        });
        if (!waits || !run->concerns(failed.first)) {
            continue;
        }
        text += "run " + std::to_string(run->seq()) + " (";
        for (const uint32_t seq : run->members()) {
            const char* name = m_workload.operations[seq].name;
            text += (seq == run->members().front() ? "" : ", ") +
                    (name != nullptr ? std::string(name) : std::to_string(seq));
        }
        text += std::string(") needs ") + m_topology.die_names[failed.first] +
                ", which failed at cycle " + std::to_string(failed.cycle) + "\n";
    }
}

void machine::describe_unfinished(std::string& text) const {
    const fabric::outage* failures = m_network->failures();
    for (const chm_failure& item : m_options.failures) {
        if (item.kind == chm_failure_die && failures->has_failed(item)) {
            describe_need(item, text);
        }
    }
    for (const die* each : m_dies) {
        each->describe_stuck(text);
    }
}

void machine::value_delivered(uint32_t die, uint32_t value, const chm_layout& layout,
                              const memory::data_block* block, uint64_t) {
    if (block == nullptr || m_truth == nullptr) {
        return;
    }
    ++m_compared;
    m_digest += digest_block(value, die, *block);
    if (m_difference.empty()) {
        m_difference = compare_block(*m_truth, m_workload.tables, value, layout, die, *block);
    }
}

void machine::malformed_descriptor(uint32_t, uint32_t, const std::string& text) {
    ++m_malformed;
    m_descriptor_errors += text;
}

void machine::fault(chm_status status, const std::string& text) {
    if (m_failure.status == chm_ok) {
        m_failure = {status, text};
    }
}

uint64_t machine::payload_bytes_injected(uint32_t die) {
    return m_network->interface(die).statistics().injected_payload_bytes;
}

data_result machine::data() const {
    if (m_truth == nullptr) {
        return data_result::off;
    }
    return m_difference.empty() ? data_result::equal : data_result::different;
}

machine_statistics machine::statistics() const {
    machine_statistics all;
    if (m_network == nullptr) {
        return all;
    }
    for (const die* each : m_dies) {
        die_statistics one;
        const compute::activity_meter& meter = each->meter();
        one.compute_busy_cycles = meter.compute_busy_cycles();
        one.communication_busy_cycles = meter.communication_busy_cycles();
        one.exposed_communication_cycles = meter.exposed_communication_cycles();
        one.peak_memory_bytes = each->values().peak_bytes();
        one.staging_peak_bytes = each->fusion_engine().staging_peak_bytes();
        one.ring_full_cycles = each->stream_host().ring_full_cycles();
        one.held = each->fusion_engine().held();
        one.control_flits = each->control_flits();
        all.cycles = std::max(all.cycles, each->last_completion());
        all.compute_busy_cycles = std::max(all.compute_busy_cycles, one.compute_busy_cycles);
        all.communication_busy_cycles =
            std::max(all.communication_busy_cycles, one.communication_busy_cycles);
        all.exposed_communication_cycles =
            std::max(all.exposed_communication_cycles, one.exposed_communication_cycles);
        all.peak_memory_bytes = std::max(all.peak_memory_bytes, one.peak_memory_bytes);
        all.dies.push_back(one);
    }
    all.time_ps = chm_clock_cycles_to_ps(all.cycles, m_network->clock_khz());
    const fabric::fabric_statistics network = m_network->statistics();
    all.bytes_moved = network.injected_payload_bytes;
    all.metadata_bytes = network.injected_metadata_bytes;
    all.byte_hops = network.byte_hops;
    all.packet_hops = network.packet_hops;
    all.kernel_activations = network.activations;
    all.links = m_network->link_faults();
    if (m_network->failures() != nullptr) {
        all.returned_packets = m_network->failures()->statistics().returned;
    }
    all.malformed_descriptors = m_malformed;
    all.observers = m_workload.observers;
    for (const fusion::run_recipe* recipe : m_decisions->runs()) {
        ++all.runs;
        all.bytes_asked += recipe->asked_bytes();
        all.eliminated += recipe->composition().eliminated;
        all.fused += recipe->members().size() > 1 ? recipe->members().size() : 0;
    }
    return all;
}

} // namespace chimera::die
