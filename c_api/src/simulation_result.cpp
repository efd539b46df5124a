// SPDX-License-Identifier: Apache-2.0
// What a simulation measured, as structs and reports.
#include <cstdio>

#include "c_api/src/error.h"
#include "c_api/src/guard.h"
#include "c_api/src/report.h"
#include "c_api/src/simulation.h"
#include "hw/base/json.h"
#include "platforms/platform.h"
#include "traces/program.h"

namespace chimera::c_api {

bool has_ended(const chm_simulation& simulation) {
    return simulation.machine->finished() && simulation.machine->failure().status == chm_ok;
}

chm_run_header header_of(const chm_simulation& simulation) {
    return {chm_platform_name(simulation.platform), chm_program_name(simulation.program),
            chm_program_message_bytes(simulation.program), simulation.options.seed,
            chm_fidelity_of_program(&simulation.platform->parameters.fabric)};
}

chm_result result_of(const chm_simulation& simulation) {
    const die::machine& machine = *simulation.machine;
    const die::machine_statistics measured = machine.statistics();
    chm_result result = CHM_RESULT_INIT;
    result.cycles = measured.cycles;
    result.time_ps = measured.time_ps;
    result.bytes_asked = measured.bytes_asked;
    result.bytes_moved = measured.bytes_moved;
    result.metadata_bytes = measured.metadata_bytes;
    result.byte_hops = measured.byte_hops;
    result.compute_busy_cycles = measured.compute_busy_cycles;
    result.communication_busy_cycles = measured.communication_busy_cycles;
    result.exposed_communication_cycles = measured.exposed_communication_cycles;
    result.lower_bound_cycles = simulation.bound.lower_bound_cycles;
    result.bandwidth_cycles = simulation.bound.bandwidth_cycles;
    result.latency_cycles = simulation.bound.latency_cycles;
    std::snprintf(result.bound_by, sizeof result.bound_by, "%s", simulation.bound.bound_by.name);
    std::snprintf(result.runner_up, sizeof result.runner_up, "%s", simulation.bound.runner_up.name);
    result.runner_up_cycles =
        simulation.bound.runner_up.bandwidth_cycles + simulation.bound.runner_up.latency_cycles;
    result.peak_memory_bytes = measured.peak_memory_bytes;
    result.dropped_packets = measured.links.dropped;
    result.corrupted_packets = measured.links.corrupted;
    result.replayed_packets = measured.links.replayed;
    result.returned_packets = measured.returned_packets;
    // What a program that has not ended would still compare is not known to be equal.
    const bool known = machine.data() == die::data_result::different || has_ended(simulation);
    result.data = known ? static_cast<chm_data_state>(machine.data()) : chm_data_off;
    std::snprintf(result.first_difference, sizeof result.first_difference, "%s",
                  machine.first_difference().c_str());
    return result;
}

chm_die_counters counters_of(const chm_simulation& simulation,
                             const die::machine_statistics& statistics, uint32_t die) {
    die::machine& machine = *simulation.machine;
    const fusion::csr_file& registers = machine.at(die).fusion_engine().registers();
    const die::die_statistics& one = statistics.dies[die];
    chm_die_counters counters = CHM_DIE_COUNTERS_INIT;
    counters.descriptors_fetched = registers.fetched;
    counters.descriptors_fused = registers.fused;
    counters.values_eliminated = registers.eliminated;
    counters.bytes_asked = registers.asked;
    counters.bytes_moved = machine.network().interface(die).statistics().injected_payload_bytes;
    counters.held_cycles = one.held.sum_cycles;
    counters.ring_full_cycles = one.ring_full_cycles;
    counters.compute_busy_cycles = one.compute_busy_cycles;
    counters.communication_busy_cycles = one.communication_busy_cycles;
    counters.exposed_communication_cycles = one.exposed_communication_cycles;
    counters.peak_memory_bytes = one.peak_memory_bytes;
    counters.peak_staging_bytes = one.staging_peak_bytes;
    return counters;
}

} // namespace chimera::c_api

namespace {

using namespace chimera::c_api;

static_assert(static_cast<int>(chimera::die::data_result::off) == chm_data_off &&
              static_cast<int>(chimera::die::data_result::equal) == chm_data_equal &&
              static_cast<int>(chimera::die::data_result::different) == chm_data_different);

template<typename Action> chm_status with_guard(Action action) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status = guarded(&diagnostics, action);
    return chm_error_take(status, &diagnostics);
}

void die_object(chm_json* json, const chm_simulation& simulation,
                const chimera::die::machine_statistics& statistics, uint32_t die) {
    const chm_die_counters counters = counters_of(simulation, statistics, die);
    chm_json_object_begin(json);
    chm_json_put_string(json, "die", simulation.platform->topology.die_names[die]);
    chm_json_put_u64(json, "descriptors_fetched", counters.descriptors_fetched);
    chm_json_put_u64(json, "descriptors_fused", counters.descriptors_fused);
    chm_json_put_u64(json, "values_eliminated", counters.values_eliminated);
    chm_json_put_u64(json, "bytes_asked", counters.bytes_asked);
    chm_json_put_u64(json, "bytes_moved", counters.bytes_moved);
    chm_json_put_u64(json, "held_cycles", counters.held_cycles);
    chm_json_put_u64(json, "ring_full_cycles", counters.ring_full_cycles);
    chm_json_put_u64(json, "compute_busy_cycles", counters.compute_busy_cycles);
    chm_json_put_u64(json, "communication_busy_cycles", counters.communication_busy_cycles);
    chm_json_put_u64(json, "exposed_communication_cycles", counters.exposed_communication_cycles);
    chm_json_put_u64(json, "peak_memory_bytes", counters.peak_memory_bytes);
    chm_json_put_u64(json, "peak_staging_bytes", counters.peak_staging_bytes);
    chm_json_object_end(json);
}

// One row per direction, in the order of the topology.
void links_array(chm_json* json, const chm_simulation& simulation) {
    const chm_topology& topology = simulation.platform->topology;
    chm_json_key(json, "links");
    chm_json_array_begin(json);
    for (uint32_t id = 0; id < topology.link_count; ++id) {
        const chm_link& link = topology.links[id];
        chm_json_object_begin(json);
        chm_json_put_string(json, "from", topology.node_names[link.from_node]);
        chm_json_put_string(json, "to", topology.node_names[link.to_node]);
        chm_json_put_u64(json, "cycles_per_flit", link.cycles_per_flit);
        chm_json_put_u64(json, "busy_cycles", simulation.machine->network().link_busy_cycles(id));
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
}

chm_status statistics_object(chm_text* text, const chm_simulation& simulation) {
    const auto statistics = simulation.machine->statistics();
    const chm_result result = result_of(simulation);
    const chm_run_header header = header_of(simulation);
    chm_json json;
    chm_json_begin(&json, text);
    chm_json_object_begin(&json);
    chm_header_keys(&json, &header);
    chm_json_put_string(&json, "engine", simulation.options.engine != 0 ? "on" : "off");
    chm_json_put_double(&json, "stall_probability", simulation.options.stall_probability);
    chm_json_put_u64(&json, "clock_khz", chm_platform_clock_khz(simulation.platform));
    chm_result_keys(&json, &result);
    chm_data_keys(&json, result.data, result.first_difference);
    chm_json_put_u64(&json, "runs", statistics.runs);
    chm_json_put_u64(&json, "descriptors_fused", statistics.fused);
    chm_json_put_u64(&json, "values_eliminated", statistics.eliminated);
    chm_json_put_u64(&json, "observers", statistics.observers);
    chm_json_put_u64(&json, "packet_hops", statistics.packet_hops);
    chm_json_key(&json, "dies");
    chm_json_array_begin(&json);
    for (uint32_t die = 0; die < simulation.platform->topology.dies; ++die) {
        die_object(&json, simulation, statistics, die);
    }
    chm_json_array_end(&json);
    links_array(&json, simulation);
    chm_json_object_end(&json);
    return chm_json_finish(&json);
}

} // namespace

chm_status chm_simulation_result(const chm_simulation* simulation, chm_result* result) {
    if (simulation == nullptr || result == nullptr || result->struct_size != sizeof *result) {
        return chm_error_set(chm_bad_argument,
                             "argument simulation or result: null, or struct_size not set");
    }
    return with_guard([&] {
        *result = result_of(*simulation);
        return chm_ok;
    });
}

chm_status chm_simulation_die(const chm_simulation* simulation, uint32_t die,
                              chm_die_counters* counters) {
    if (simulation == nullptr || counters == nullptr || counters->struct_size != sizeof *counters) {
        return chm_error_set(chm_bad_argument,
                             "argument simulation or counters: null, or struct_size not set");
    }
    const uint32_t dies = chm_platform_dies(simulation->platform);
    if (die >= dies) {
        return chm_error_set(chm_bad_argument, "argument die: got %u; allowed: 0 .. %u", die,
                             dies - 1);
    }
    return with_guard([&] {
        *counters = counters_of(*simulation, simulation->machine->statistics(), die);
        return chm_ok;
    });
}

chm_status chm_api_simulation_report(chm_report** report, const chm_simulation* simulation,
                                     bool json) {
    return with_guard([&] {
        const chm_result result = result_of(*simulation);
        const chm_run_header header = header_of(*simulation);
        const bool engine = simulation->options.engine != 0;
        chm_text text;
        chm_text_init(&text);
        chm_status status = chm_ok;
        if (json) {
            status = chm_run_as_json(&text, &header, &result, engine);
        } else {
            chm_run_as_text(&text, &header, &result, engine);
        }
        return chm_report_take(report, &text, status);
    });
}

chm_status chm_simulation_statistics(chm_report** report, const chm_simulation* simulation) {
    if (report == nullptr || simulation == nullptr) {
        return chm_error_set(chm_bad_argument, "argument report or simulation: null");
    }
    return with_guard([&] {
        chm_text text;
        chm_text_init(&text);
        const chm_status status = statistics_object(&text, *simulation);
        return chm_report_take(report, &text, status);
    });
}
