// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/parameters.h"

#include <inttypes.h>
#include <string.h>

#include "hw/base/text.h"

#define KEY_U64(name, unit, field, value, low, high, meaning)                                      \
    { name, chm_key_u64, unit, offsetof(chm_parameters, field), value, low, high, NULL, meaning }
#define KEY_F64(name, unit, field, value, low, high, meaning)                                      \
    { name, chm_key_f64, unit, offsetof(chm_parameters, field), value, low, high, NULL, meaning }
#define KEY_BOOL(name, field, value, meaning)                                                      \
    { name, chm_key_bool, "", offsetof(chm_parameters, field), value, 0, 1, NULL, meaning }
#define KEY_CHOICE(name, field, choices, meaning)                                                  \
    { name, chm_key_choice, "", offsetof(chm_parameters, field), 0, 0, 0, choices, meaning }
// In the order of chm_schedule_kind.
#define GROUP_SCHEDULES "auto|ring|bidirectional|halving-doubling|direct|staggered|grid"
#define MOVE_SCHEDULES GROUP_SCHEDULES "|tree"
#define CYCLES_MAX 1e9
#define RATE_MAX 1e6

static const chm_key fabric_keys[] = {
    KEY_F64("clock_ghz", "GHz", fabric.clock_ghz, 1, 0.001, 100,
            "Clock of dies and fabric, rounded to whole kHz."),
    KEY_U64("flit_bytes", "bytes", fabric.flit_bytes, 50, 1, 4096,
            "Payload that a port carries per cycle, and a link unless it is slower."),
    KEY_U64("mtu_bytes", "bytes", fabric.mtu_bytes, 256, 1, 65536,
            "Largest payload of a packet; one header flit comes on top."),
    KEY_U64("link_latency_cycles", "cycles", fabric.link_latency_cycles, 100, 1, 1e6,
            "Latency of a link, for data forward and for credits back."),
    KEY_U64("link_cycles_per_flit", "cycles", fabric.link_cycles_per_flit, 1, 1, 1024,
            "A link between routers carries a flit every so many cycles: its bandwidth is "
            "flit_bytes / link_cycles_per_flit per cycle. Ports of dies carry one per cycle."),
    KEY_U64("ports_per_die", "", fabric.ports_per_die, 1, 1, 255,
            "Injection ports of a die, and ejection ports: at most one per link of its router; a "
            "die whose router has fewer links has a port for each."),
    KEY_U64("vcs", "", fabric.vcs, 4, 1, 64, "Virtual channels of a link, shared by its classes."),
    KEY_U64("vc_depth_flits", "flits", fabric.vc_depth_flits, 318, 1, 1e6,
            "Buffer of one virtual channel."),
    KEY_CHOICE("arbitration", fabric.arbitration, "round_robin|oldest_first",
               "Which waiting packet gets a free channel of a link: each input channel in turn, or "
               "the packet that entered the network first (fidelity at)."),
    KEY_F64("window_round_trips", "round trips", fabric.window_round_trips, 0, 0, 1e6,
            "A die sends to another only while what that has not acknowledged is at most what a "
            "port carries in so many round trips of the idle network; 0: no limit (fidelity at)."),
    KEY_BOOL("trains", fabric.trains, 1,
             "Packets of a message that meet no contention advance together. Results are the same, "
             "to the cycle."),
    KEY_U64("watchdog_cycles", "cycles", fabric.watchdog_cycles, 1e6, 1, 1e12,
            "Nothing moved for this long while work remains and no timed event is pending: "
            "deadlock. So many times as long as the slowest link takes for a flit."),
    {"fidelity", chm_key_choice, "", offsetof(chm_parameters, fabric.fidelity), 0, 0, 1, "at|lt",
     "Network timed packet by packet at every hop (at), or chunk by chunk over whole paths (lt)."},
    KEY_BOOL(
        "lt_in_order", fabric.lt_in_order, 1,
        "Whether routers reserve in the order in which heads reach them, or whole paths in the "
        "order of calls, which is coarser and hardly faster (fidelity lt)."),
    KEY_U64("lt_horizon_cycles", "cycles", fabric.lt_horizon_cycles, 200, 0, 1e12,
            "How long before its injection a chunk may be called for (fidelity lt)."),
    KEY_U64("lt_chunk_bytes", "bytes", fabric.lt_chunk_bytes, 1024, 1, 0x1.0p40,
            "Payload that reserves its way at once, in whole packets (fidelity lt)."),
    KEY_U64("lt_chunk_share", "", fabric.lt_chunk_share, 1024, 1, 1e12,
            "A chunk may grow to this part, 1 / share, of what has been sent of its message."),
    KEY_F64("drop_probability", "", fabric.drop_probability, 0, 0, 1,
            "Of a packet getting lost on a link between routers, each time it is sent over one "
            "(fidelity at)."),
    KEY_F64("corrupt_probability", "", fabric.corrupt_probability, 0, 0, 1,
            "Of a packet that is not lost arriving with a wrong CRC, each time it is sent over a "
            "link between routers (fidelity at)."),
    KEY_U64("retry_timeout_cycles", "cycles", fabric.retry_timeout_cycles, 200, 1, CYCLES_MAX,
            "How long a link that loses packets waits for an acknowledgement, beyond the time of "
            "its round trip, until it sends again."),
    KEY_U64("crc_cycles", "cycles", fabric.crc_cycles, 1, 0, 1e6,
            "From a packet's tail to the verdict of its CRC, on links that lose packets."),
    KEY_U64("reroute_cycles", "cycles", fabric.reroute_cycles, 1000, 1, CYCLES_MAX,
            "After a link or die has failed: from the network being empty to the first packet by "
            "the new ways."),
};

static const chm_key dma_keys[] = {
    KEY_U64("dma_channels", "", dma.channels, 4, 1, 1024,
            "Transfer lists a die works on at the same time."),
    KEY_U64("dma_setup_cycles", "cycles", dma.setup_cycles, 8, 0, CYCLES_MAX,
            "From taking a transfer to its first packet."),
    KEY_U64("reduce_bytes_per_cycle", "bytes/cycle", dma.reduce_bytes_per_cycle, 256, 0, RATE_MAX,
            "Rate at which received addends are added; 0: free."),
    KEY_BOOL("reduce_overlapped", dma.reduce_overlapped, 1,
             "Whether packets are added as they arrive, or a transfer once it is complete."),
    KEY_BOOL("dma_per_destination", dma.per_destination, 1,
             "Whether the port arbitrates per destination, or serves one FIFO."),
    KEY_U64("dma_read_ahead_packets", "packets", dma.read_ahead_packets, 16, 1, 1024,
            "Packets of a transfer that are read from memory before the first has left."),
};

static const chm_key engine_keys[] = {
    KEY_U64("window_depth", "descriptors", engine.window_depth, 8, 1, 65535,
            "Window that communicators ask for; 1: every collective runs as written."),
    KEY_U64("window_depth_max", "descriptors", engine.window_depth_max, 62, 1, 65535,
            "Largest window that the hardware supports."),
    KEY_U64("ring_entries", "descriptors", engine.ring_entries, 64, 3, 65536,
            "Entries of the descriptor ring; at least window_depth + 2."),
    KEY_U64("fetch_latency_cycles", "cycles", engine.fetch_latency_cycles, 20, 0, CYCLES_MAX,
            "From a doorbell to the first fetched byte; hidden by prefetch while waiting."),
    KEY_U64("fetch_bytes_per_cycle", "bytes/cycle", engine.fetch_bytes_per_cycle, 64, 0, RATE_MAX,
            "Rate of descriptor fetch; 0: free."),
    KEY_U64("fuse_cycles_per_pair", "cycles", engine.fuse_cycles_per_pair, 4, 0, CYCLES_MAX,
            "Time of one decision whether a descriptor joins a run."),
    KEY_U64("plan_transfers_per_cycle", "1/cycle", engine.plan_transfers_per_cycle, 1, 0, RATE_MAX,
            "Transfers of this die that planning produces per cycle; 0: free."),
    KEY_U64("issue_per_cycle", "1/cycle", engine.issue_per_cycle, 1, 0, RATE_MAX,
            "Transfers handed to the DMA per cycle; 0: free."),
    KEY_U64(
        "staging_bytes", "bytes", engine.staging_bytes, 262144, 1, 0x1.0p40,
        "Space for forwarded and partially reduced data; larger runs are cut into more chunks."),
    KEY_U64("chunk_bytes", "bytes", engine.chunk_bytes, 0, 0, 0x1.0p40,
            "Of a run's tensor, what goes on to the run's next phase together, in whole rows; 0: "
            "what is fastest by estimate."),
    KEY_U64("gating_rows_per_cycle", "rows/cycle", engine.gating_rows_per_cycle, 1, 0, RATE_MAX,
            "Rate of moved gating and row-wise operations; 0: free."),
    KEY_BOOL("gating_on_compute", engine.gating_on_compute, 0,
             "Whether moved operations run on compute between tiles instead of the gating unit."),
    KEY_U64("enqueue_cycles_per_descriptor", "cycles", engine.enqueue_cycles_per_descriptor, 16, 0,
            CYCLES_MAX, "Time the host takes to queue one descriptor."),
    KEY_CHOICE("reduce_scatter_schedule", engine.reduce_scatter_schedule, GROUP_SCHEDULES,
               "Schedule of every reduce-scatter; auto: the best by estimate."),
    KEY_CHOICE("all_gather_schedule", engine.all_gather_schedule, GROUP_SCHEDULES,
               "Schedule of every all-gather; auto: the best by estimate."),
    KEY_CHOICE("move_schedule", engine.move_schedule, MOVE_SCHEDULES,
               "Schedule of what moves between layouts; auto: the best by estimate."),
};

static const chm_key memory_keys[] = {
    KEY_U64("memory_bandwidth_bytes_per_cycle", "bytes/cycle", memory.bandwidth_bytes_per_cycle, 0,
            0, RATE_MAX, "Bandwidth that all users of a die's memory share; 0: ideal."),
    KEY_U64("memory_latency_cycles", "cycles", memory.latency_cycles, 0, 0, CYCLES_MAX,
            "Latency of a memory access."),
};

static const chm_key compute_keys[] = {
    KEY_U64("array_rows", "", compute.array_rows, 256, 1, 65536, "Rows of the systolic array."),
    KEY_U64("array_columns", "", compute.array_columns, 256, 1, 65536,
            "Columns of the systolic array."),
};

static const chm_key transfer_keys[] = {
    KEY_U64("row_id_bytes", "bytes", transfer.row_id_bytes, 4, 0, 64,
            "Token id that travels with every routed row (metadata)."),
    KEY_U64("slot_header_bytes", "bytes", transfer.slot_header_bytes, 12, 0, 4096,
            "Header of a routed transfer: communicator, seq, rows (metadata)."),
    KEY_F64("capacity_factor", "", transfer.capacity_factor, 1.25, 1, 1024,
            "Space of a routed slot, relative to balanced routing."),
    KEY_U64("buffers_per_tensor", "", transfer.buffers_per_tensor, 2, 1, 64,
            "Receive buffers that a communicator has per tensor."),
};

#define TABLE(block, keys)                                                                         \
    { block, keys, sizeof(keys) / sizeof(keys)[0] }

const chm_key_table chm_parameter_tables[] = {
    TABLE("fabric", fabric_keys), TABLE("dma", dma_keys),         TABLE("engine", engine_keys),
    TABLE("memory", memory_keys), TABLE("compute", compute_keys), TABLE("transfer", transfer_keys),
};

const uint32_t chm_parameter_table_count =
    sizeof chm_parameter_tables / sizeof chm_parameter_tables[0];

void chm_parameters_default(chm_parameters* parameters) {
    memset(parameters, 0, sizeof *parameters);
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        chm_keys_default(&chm_parameter_tables[i], parameters);
    }
}

// The preset costs=reference: engine, DMA, gating, host and metadata free; reduction not
// overlapped.
static const struct {
    const char* key;
    const char* value;
} reference_costs[] = {
    {"dma_setup_cycles", "0"},
    {"reduce_overlapped", "off"},
    {"fetch_latency_cycles", "0"},
    {"fetch_bytes_per_cycle", "0"},
    {"fuse_cycles_per_pair", "0"},
    {"plan_transfers_per_cycle", "0"},
    {"issue_per_cycle", "0"},
    {"gating_rows_per_cycle", "0"},
    {"enqueue_cycles_per_descriptor", "0"},
    {"row_id_bytes", "0"},
    {"slot_header_bytes", "0"},
};

static const chm_key* find_key(const char* name) {
    const chm_key* key = NULL;
    for (uint32_t i = 0; i < chm_parameter_table_count && key == NULL; ++i) {
        key = chm_keys_find(&chm_parameter_tables[i], name);
    }
    return key;
}

static chm_status set_costs(chm_parameters* parameters, const char* value, const chm_origin* origin,
                            chm_diagnostics* diagnostics) {
    bool reference = strcmp(value, "reference") == 0;
    if (reference || strcmp(value, "default") == 0) {
        for (size_t i = 0; i < sizeof reference_costs / sizeof reference_costs[0]; ++i) {
            const chm_key* key = find_key(reference_costs[i].key);
            if (key == NULL) {
                return chm_internal;
            }
            if (reference) {
                chm_key_set(key, parameters, reference_costs[i].value, origin, diagnostics);
            } else {
                chm_keys_default(&(chm_key_table){"costs", key, 1}, parameters);
            }
        }
        return chm_ok;
    }
    chm_diagnose(diagnostics, origin, "key 'costs': got '%s'; allowed: default, reference", value);
    return chm_bad_input;
}

chm_status chm_parameters_set(chm_parameters* parameters, const char* key, const char* value,
                              const chm_origin* origin, chm_diagnostics* diagnostics) {
    if (strcmp(key, "costs") == 0) {
        return set_costs(parameters, value, origin, diagnostics);
    }
    const chm_key* found = find_key(key);
    if (found != NULL) {
        return chm_key_set(found, parameters, value, origin, diagnostics);
    }
    chm_text names;
    chm_text_init(&names);
    chm_text_string(&names, "costs");
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        chm_keys_names(&chm_parameter_tables[i], &names);
    }
    chm_diagnose(diagnostics, origin, "unknown key '%s' (value '%s'); allowed: %s", key, value,
                 chm_text_get(&names));
    chm_text_free(&names);
    return chm_bad_input;
}

chm_status chm_parameters_check(const chm_parameters* parameters, const chm_origin* origin,
                                chm_diagnostics* diagnostics) {
    const chm_engine_params* engine = &parameters->engine;
    const chm_fabric_params* fabric = &parameters->fabric;
    chm_status status = chm_ok;
    if (engine->window_depth > engine->window_depth_max) {
        chm_diagnose(diagnostics, origin,
                     "key 'window_depth': got '%" PRIu64 "'; allowed: at most window_depth_max, "
                     "%" PRIu64,
                     engine->window_depth, engine->window_depth_max);
        status = chm_bad_input;
    }
    if (engine->ring_entries < engine->window_depth + 2) {
        chm_diagnose(diagnostics, origin,
                     "key 'ring_entries': got '%" PRIu64 "'; allowed: at least window_depth + 2, "
                     "%" PRIu64,
                     engine->ring_entries, engine->window_depth + 2);
        status = chm_bad_input;
    }
    uint64_t packet =
        1 + fabric->mtu_bytes / fabric->flit_bytes + (fabric->mtu_bytes % fabric->flit_bytes != 0);
    if (packet > fabric->vc_depth_flits) {
        chm_diagnose(diagnostics, origin,
                     "key 'vc_depth_flits': got '%" PRIu64 "'; allowed: at least a packet of "
                     "mtu_bytes, %" PRIu64 " flits",
                     fabric->vc_depth_flits, packet);
        status = chm_bad_input;
    }
    // A packet on its way into a die moves only once for the watchdog.
    if (fabric->watchdog_cycles < 2 * packet) {
        chm_diagnose(diagnostics, origin,
                     "key 'watchdog_cycles': got '%" PRIu64 "'; allowed: at least twice the flits "
                     "of a packet of mtu_bytes, %" PRIu64,
                     fabric->watchdog_cycles, 2 * packet);
        status = chm_bad_input;
    }
    if (fabric->fidelity == chm_fidelity_lt &&
        (fabric->drop_probability > 0 || fabric->corrupt_probability > 0)) {
        chm_diagnose(diagnostics, origin,
                     "key '%s': allowed: 0 with fidelity lt, which has no packets to lose",
                     fabric->drop_probability > 0 ? "drop_probability" : "corrupt_probability");
        status = chm_bad_input;
    }
    return status;
}
