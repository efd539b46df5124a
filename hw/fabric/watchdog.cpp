// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/watchdog.h"

#include <algorithm>

namespace chimera::fabric {

namespace {

// Where a link is n times as slow, all may take n times as long.
uint64_t patience(const fabric& network) {
    const chm_topology& topology = network.topology();
    uint64_t slowest = 1;
    for (uint32_t link = 0; link < topology.link_count; ++link) {
        slowest = std::max<uint64_t>(slowest, topology.links[link].cycles_per_flit);
    }
    return network.params().watchdog_cycles * slowest;
}

kernel::run_result stuck(const kernel::context& context, const fabric& network,
                         const watched_work& work, const std::string& why) {
    const outage* failures = network.failures();
    if (failures != nullptr && failures->severed()) {
        std::string text = failures->describe();
        work.describe_unfinished(text);
        return {chm_unreachable, text};
    }
    uint64_t cycle = chm_clock_ps_to_cycles(context.now_ps(), network.clock_khz());
    std::string text = why + " at cycle " + std::to_string(cycle) + "; " +
                       std::to_string(network.in_flight()) + " packets in the network\n" +
                       network.describe_stuck();
    work.describe_unfinished(text);
    return {chm_deadlock, text};
}

} // namespace

kernel::run_result run_watched(kernel::context& context, fabric& network, watched_work& work,
                               uint64_t until_ps) {
    // Elaboration happens in the first run; its faults come before any packet moves.
    kernel::run_result result = context.run(context.now_ps());
    if (result.status != chm_ok) {
        return result;
    }
    std::string faults = network.faults();
    if (!faults.empty()) {
        return {chm_bad_argument, faults};
    }
    const uint64_t silence = patience(network);
    const uint64_t interval = chm_clock_cycles_to_ps(silence, network.clock_khz());
    uint64_t moved = network.movements();
    while (context.next_ps() <= until_ps && context.pending()) {
        // From the next event on: an idle stretch before it is not silence.
        const uint64_t from = context.next_ps();
        const uint64_t to = from > UINT64_MAX - interval ? UINT64_MAX : from + interval;
        const bool timed = work.timed_work_pending();
        result = context.run(std::min(until_ps, to));
        if (result.status != chm_ok) {
            return result;
        }
        const bool silent = network.movements() == moved && !timed && to <= until_ps;
        moved = network.movements();
        if (silent && !work.finished() && !work.timed_work_pending() && context.pending()) {
            return stuck(context, network, work,
                         "nothing moved for " + std::to_string(silence) + " cycles");
        }
    }
    if (!context.pending() && !work.finished()) {
        return stuck(context, network, work, "unfinished work remains and no event is pending");
    }
    return result;
}

} // namespace chimera::fabric
