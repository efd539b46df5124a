// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/operation.h"

// The 64-byte descriptor that unmodified software queues, and the engine's CSR map: the one
// statement shared by RTL, firmware and model. Little endian; reserved bytes are 0.

#ifdef __cplusplus
extern "C" {
#endif

enum { chm_descriptor_bytes = 64, chm_descriptor_version = 1 };

typedef enum chm_descriptor_kind {
    chm_descriptor_collective = 0,
    chm_descriptor_marker, // a compute operation on a value's line
    chm_descriptor_fence   // a listed wait
} chm_descriptor_kind;

// Byte offsets.
enum {
    chm_desc_version = 0,          // u8
    chm_desc_kind = 1,             // u8  chm_descriptor_kind
    chm_desc_detail = 2,           // u8  chm_collective_kind or chm_operation_class
    chm_desc_flags = 3,            // u8  CHM_DESC_*
    chm_desc_seq = 4,              // u32
    chm_desc_next_seq = 8,         // u32 CHM_NONE
    chm_desc_needed_by = 12,       // u32 CHM_NONE
    chm_desc_next_distance = 16,   // u16
    chm_desc_communicator = 18,    // u16 0xffff: none
    chm_desc_value_in = 20,        // u32 fence: the waiting die, CHM_NONE: every die of the group
    chm_desc_value_out = 24,       // u32
    chm_desc_layout_in = 28,       // u32
    chm_desc_layout_out = 32,      // u32
    chm_desc_first_reader = 36,    // u32
    chm_desc_reader_count = 40,    // u16
    chm_desc_available_count = 42, // u16
    chm_desc_first_available = 44, // u32
    chm_desc_cycles = 48,          // u64
    chm_desc_reserved = 56         // 8 bytes, 0
};

#define CHM_DESC_NEXT_UNKNOWN 0x01u
#define CHM_DESC_READERS_UNKNOWN 0x02u
#define CHM_DESC_READY_AT_START 0x04u
#define CHM_DESC_ORDERED_SUM 0x08u

// A decoded descriptor.
typedef struct chm_descriptor {
    chm_descriptor_kind kind;
    chm_collective_kind collective;
    chm_operation_class op_class;
    uint32_t seq;
    uint32_t communicator;
    uint32_t value_in, value_out;
    uint32_t layout_in, layout_out;
    uint32_t waiting_die;
    uint32_t first_available, available_count;
    uint64_t cycles;
    bool ordered_sum;
    chm_facts facts;
} chm_descriptor;

void chm_descriptor_encode(const chm_descriptor* descriptor,
                           unsigned char bytes[chm_descriptor_bytes]);

// Decodes and checks every field against the tables. A malformed one gives chm_bad_input, a message
// that names the field, its byte, its value and what is allowed, and in *bad_byte the byte offset.
chm_status chm_descriptor_decode(const unsigned char bytes[chm_descriptor_bytes],
                                 const chm_tables* tables, chm_descriptor* descriptor,
                                 uint32_t* bad_byte, const chm_origin* origin,
                                 chm_diagnostics* diagnostics);

// The descriptor of an operation of the common list (computes become markers, waits fences).
void chm_descriptor_from_operation(const chm_operation* operation, const chm_facts* facts,
                                   const chm_tables* tables, chm_descriptor* descriptor);

// CSR map of the engine: byte offsets of 32-bit registers (counters: 64-bit, low word first).
enum {
    chm_csr_head = 0x00,      // RO next entry the engine fetches
    chm_csr_tail = 0x04,      // RO next entry software writes
    chm_csr_doorbell = 0x08,  // WO new tail
    chm_csr_depth = 0x0c,     // RO ring entries
    chm_csr_enable = 0x10,    // RW 1: runs, 0: stops fetching
    chm_csr_interrupt = 0x14, // RW1C bit 0: descriptor error
    chm_csr_error = 0x18, // RW1C bit 31: valid; bits 15..8 byte offset; bits 7..0 ring entry & 0xff
    chm_csr_window_max = 0x1c, // RO window_depth_max of the hardware
    chm_csr_fetched = 0x20,    // RO 64-bit: descriptors decoded
    chm_csr_fused = 0x28,      // RO 64-bit: descriptors in runs of two or more
    chm_csr_eliminated = 0x30, // RO 64-bit: intermediate results never formed
    chm_csr_asked =
        0x38, // RO 64-bit: payload bytes of the collectives as written, this die's share
    chm_csr_moved = 0x40, // RO 64-bit: payload bytes injected
    chm_csr_bytes = 0x48
};

#ifdef __cplusplus
}
#endif
