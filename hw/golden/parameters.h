// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "hw/base/keys.h"

// The parameters of each hardware block. The key tables in parameters.c are the one statement of
// name, unit, default, range and meaning: they drive reading, errors, `chimera list parameters` and
// the docs.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_fidelity { chm_fidelity_at = 0, chm_fidelity_lt } chm_fidelity;

// Which of the packets that wait for a channel of a link gets it.
typedef enum chm_arbitration {
    chm_arbitration_round_robin = 0,
    chm_arbitration_oldest_first
} chm_arbitration;

typedef struct chm_fabric_params {
    double clock_ghz;              // 1
    uint64_t flit_bytes;           // 50
    uint64_t mtu_bytes;            // 256, + 1 header flit
    uint64_t link_latency_cycles;  // 100
    uint64_t link_cycles_per_flit; // 1
    uint64_t ports_per_die;        // 1
    uint64_t vcs;                  // 4
    uint64_t vc_depth_flits;       // 318
    uint64_t arbitration;          // chm_arbitration: round_robin
    double window_round_trips;     // 0: no limit to what is under way between two dies
    uint64_t watchdog_cycles;      // 1,000,000
    bool trains;                   // true: packets without contention advance together
    uint64_t fidelity;             // chm_fidelity: approximately (at) or loosely timed (lt)
    bool lt_in_order;              // true
    uint64_t lt_horizon_cycles;    // 200
    uint64_t lt_chunk_bytes;       // 1024
    uint64_t lt_chunk_share;       // 1024
    double drop_probability;       // 0: of a packet on a link between routers
    double corrupt_probability;    // 0: likewise
    uint64_t retry_timeout_cycles; // 200
    uint64_t crc_cycles;           // 1
    uint64_t reroute_cycles;       // 1000
} chm_fabric_params;

typedef struct chm_dma_params {
    uint64_t channels;               // 4            key dma_channels
    uint64_t setup_cycles;           // 8            key dma_setup_cycles
    uint64_t reduce_bytes_per_cycle; // 256; 0: free
    bool reduce_overlapped;          // true: a packet is reduced as it arrives
    bool per_destination;            // true: arbitrate per destination; false: one FIFO
    uint64_t read_ahead_packets;     // 16                key dma_read_ahead_packets
} chm_dma_params;

typedef struct chm_engine_params {
    uint64_t window_depth;                  // 8
    uint64_t window_depth_max;              // 62
    uint64_t ring_entries;                  // 64
    uint64_t fetch_latency_cycles;          // 20
    uint64_t fetch_bytes_per_cycle;         // 64; 0: free
    uint64_t fuse_cycles_per_pair;          // 4
    uint64_t plan_transfers_per_cycle;      // 1; 0: free
    uint64_t issue_per_cycle;               // 1; 0: free
    uint64_t staging_bytes;                 // 262144
    uint64_t chunk_bytes;                   // 0: chosen by estimate
    uint64_t gating_rows_per_cycle;         // 1; 0: free
    bool gating_on_compute;                 // false: own gating unit; true: compute, between tiles
    uint64_t enqueue_cycles_per_descriptor; // 16 (host)
    // chm_schedule_kind: auto (0) or forced, where it applies
    uint64_t reduce_scatter_schedule, all_gather_schedule, move_schedule;
} chm_engine_params;

typedef struct chm_memory_params {
    uint64_t bandwidth_bytes_per_cycle; // 0: ideal
    uint64_t latency_cycles;            // 0
} chm_memory_params;

typedef struct chm_compute_params {
    uint64_t array_rows;    // 256
    uint64_t array_columns; // 256
} chm_compute_params;

typedef struct chm_transfer_params {
    uint64_t row_id_bytes;       // 4
    uint64_t slot_header_bytes;  // 12: {communicator, seq, rows} of a routed transfer
    double capacity_factor;      // 1.25
    uint64_t buffers_per_tensor; // 2
} chm_transfer_params;

typedef struct chm_parameters {
    chm_fabric_params fabric;
    chm_dma_params dma;
    chm_engine_params engine;
    chm_memory_params memory;
    chm_compute_params compute;
    chm_transfer_params transfer;
} chm_parameters;

// The key tables, one per block, in the order of chm_parameters; offsets are into chm_parameters.
extern const chm_key_table chm_parameter_tables[];
extern const uint32_t chm_parameter_table_count;

void chm_parameters_default(chm_parameters* parameters);

// Sets one key of any block; also the preset key "costs" = default | reference (engine, DMA,
// gating, host and metadata free; reduction not overlapped). Unknown keys and values out of range
// add a message that names what is allowed.
chm_status chm_parameters_set(chm_parameters* parameters, const char* key, const char* value,
                              const chm_origin* origin, chm_diagnostics* diagnostics);

// Cross checks between keys (ring >= window + 2, window <= window_depth_max, packet fits channel).
chm_status chm_parameters_check(const chm_parameters* parameters, const chm_origin* origin,
                                chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
