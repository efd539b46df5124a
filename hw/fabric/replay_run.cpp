// SPDX-License-Identifier: Apache-2.0
// A whole replay: checks, a context of its own, a trace where one is asked for.
#include <memory>

#include "hw/fabric/replay.h"
#include "hw/trace/tracer.h"

namespace chimera::fabric {

namespace {

std::string graph_faults(const chm_topology& topology, const chm_graph& graph) {
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        const chm_graph_node& item = graph.nodes[node];
        if (item.die >= topology.dies ||
            (item.kind == chm_graph_send && item.destination >= topology.dies)) {
            return "node " + std::to_string(node) + ": die " +
                   std::to_string(item.die >= topology.dies ? item.die : item.destination) +
                   " is not on the platform; allowed are 0 .. " +
                   std::to_string(topology.dies - 1) + "\n";
        }
    }
    return "";
}

kernel::run_result start_trace(std::unique_ptr<trace::tracer>& tracer,
                               const kernel::context& context, fabric& network, replay& player,
                               const trace::trace_request& request) {
    const chm_topology& topology = network.topology();
    const uint64_t khz = network.clock_khz();
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    kernel::run_result result;
    result.status = trace::tracer::start(
        tracer, {&topology, nullptr, khz, chm_topology_most_ports(&topology)}, request,
        [&context, khz] { return chm_clock_ps_to_cycles(context.now_ps(), khz); }, &diagnostics);
    result.text = chm_diagnostics_text(&diagnostics);
    chm_diagnostics_free(&diagnostics);
    if (result.status != chm_ok) {
        return result;
    }
    for (uint32_t die = 0; die < topology.dies; ++die) {
        player.set_observer(die, tracer->of_die(die));
    }
    for (uint32_t node = 0; node < topology.nodes; ++node) {
        network.set_observer(node, tracer->of_node(node));
    }
    return result;
}

} // namespace

replay_result run_replay(const chm_topology& topology, const fabric_params& wanted,
                         const chm_graph& graph, const trace::trace_request* traced) {
    replay_result result;
    result.text = graph_faults(topology, graph);
    fabric_params params = wanted;
    params.trains = params.trains && traced == nullptr; // results are the same
    params.validate(result.text);
    if (!result.text.empty()) {
        result.status = chm_bad_argument;
        return result;
    }
    kernel::context context;
    kernel::context::entry inside(context);
    replay* player = nullptr;
    fabric* network = nullptr;
    kernel::run_result run = context.build([&] {
        network = &context.own(std::make_unique<fabric>("fabric", topology, params));
        player = &context.own(std::make_unique<replay>("replay", *network, graph));
    });
    std::unique_ptr<trace::tracer> tracer;
    if (run.status == chm_ok && traced != nullptr) {
        run = start_trace(tracer, context, *network, *player, *traced);
    }
    if (run.status == chm_ok) {
        run = run_watched(context, *network, *player);
    }
    if (tracer != nullptr && !tracer->finish() && run.status == chm_ok) {
        run = {chm_io, tracer->unwritten() + ": could not be written whole"};
    }
    if (run.status == chm_ok) {
        result = player->result();
        result.trace_late = tracer != nullptr ? tracer->late() : 0;
        return result;
    }
    result.status = run.status;
    result.text = run.text;
    return result;
}

} // namespace chimera::fabric
