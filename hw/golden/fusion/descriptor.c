// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/descriptor.h"

#include <string.h>

#include "hw/golden/fusion/descriptor_check.h"

static void put16(unsigned char* at, uint32_t value) {
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static void put32(unsigned char* at, uint32_t value) {
    put16(at, value);
    put16(at + 2, value >> 16);
}

static uint32_t get16(const unsigned char* at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get32(const unsigned char* at) {
    return get16(at) | get16(at + 2) << 16;
}

static uint32_t saturate16(uint32_t value) {
    return value < 0xffff ? value : 0xffff;
}

static uint32_t flags_of(const chm_descriptor* d) {
    return (d->facts.next_unknown ? CHM_DESC_NEXT_UNKNOWN : 0u) |
           (d->facts.readers_unknown ? CHM_DESC_READERS_UNKNOWN : 0u) |
           (d->facts.ready_at_start ? CHM_DESC_READY_AT_START : 0u) |
           (d->ordered_sum ? CHM_DESC_ORDERED_SUM : 0u);
}

static uint32_t detail_of(const chm_descriptor* d) {
    switch (d->kind) {
    case chm_descriptor_collective: return (uint32_t)d->collective;
    case chm_descriptor_marker: return (uint32_t)d->op_class;
    case chm_descriptor_fence: break;
    }
    return 0;
}

void chm_descriptor_encode(const chm_descriptor* d, unsigned char bytes[chm_descriptor_bytes]) {
    bool fence = d->kind == chm_descriptor_fence;
    memset(bytes, 0, chm_descriptor_bytes);
    bytes[chm_desc_version] = chm_descriptor_version;
    bytes[chm_desc_kind] = (unsigned char)d->kind;
    bytes[chm_desc_detail] = (unsigned char)detail_of(d);
    bytes[chm_desc_flags] = (unsigned char)flags_of(d);
    put32(bytes + chm_desc_seq, d->seq);
    put32(bytes + chm_desc_next_seq, d->facts.next_seq);
    put32(bytes + chm_desc_needed_by, d->facts.needed_by);
    // A distance beyond 16 bits is beyond every window: the largest value says as much.
    put16(bytes + chm_desc_next_distance, saturate16(d->facts.next_distance));
    put16(bytes + chm_desc_communicator, saturate16(d->communicator));
    put32(bytes + chm_desc_value_in, fence ? d->waiting_die : d->value_in);
    put32(bytes + chm_desc_value_out, d->value_out);
    put32(bytes + chm_desc_layout_in, d->layout_in);
    put32(bytes + chm_desc_layout_out, d->layout_out);
    put32(bytes + chm_desc_first_reader, d->facts.first_reader);
    put16(bytes + chm_desc_reader_count, d->facts.reader_count);
    put16(bytes + chm_desc_available_count, d->available_count);
    put32(bytes + chm_desc_first_available, d->first_available);
    put32(bytes + chm_desc_cycles, (uint32_t)d->cycles);
    put32(bytes + chm_desc_cycles + 4, (uint32_t)(d->cycles >> 32));
}

static void extract(const unsigned char* bytes, chm_descriptor* d) {
    uint32_t flags = bytes[chm_desc_flags];
    memset(d, 0, sizeof *d);
    d->kind = (chm_descriptor_kind)bytes[chm_desc_kind];
    if (d->kind == chm_descriptor_collective) {
        d->collective = (chm_collective_kind)bytes[chm_desc_detail];
    } else if (d->kind == chm_descriptor_marker) {
        d->op_class = (chm_operation_class)bytes[chm_desc_detail];
    }
    d->seq = get32(bytes + chm_desc_seq);
    uint32_t communicator = get16(bytes + chm_desc_communicator);
    d->communicator = communicator == 0xffff ? CHM_NONE : communicator;
    uint32_t value_in = get32(bytes + chm_desc_value_in);
    bool fence = d->kind == chm_descriptor_fence;
    d->value_in = fence ? CHM_NONE : value_in;
    d->waiting_die = fence ? value_in : CHM_NONE;
    d->value_out = get32(bytes + chm_desc_value_out);
    d->layout_in = get32(bytes + chm_desc_layout_in);
    d->layout_out = get32(bytes + chm_desc_layout_out);
    d->first_available = get32(bytes + chm_desc_first_available);
    d->available_count = get16(bytes + chm_desc_available_count);
    d->cycles = (uint64_t)get32(bytes + chm_desc_cycles) |
                (uint64_t)get32(bytes + chm_desc_cycles + 4) << 32;
    d->ordered_sum = (flags & CHM_DESC_ORDERED_SUM) != 0;
    d->facts.next_seq = get32(bytes + chm_desc_next_seq);
    d->facts.next_unknown = (flags & CHM_DESC_NEXT_UNKNOWN) != 0;
    d->facts.next_distance = get16(bytes + chm_desc_next_distance);
    d->facts.needed_by = get32(bytes + chm_desc_needed_by);
    d->facts.first_reader = get32(bytes + chm_desc_first_reader);
    d->facts.reader_count = get16(bytes + chm_desc_reader_count);
    d->facts.readers_unknown = (flags & CHM_DESC_READERS_UNKNOWN) != 0;
    d->facts.ready_at_start = (flags & CHM_DESC_READY_AT_START) != 0;
}

chm_status chm_descriptor_decode(const unsigned char bytes[chm_descriptor_bytes],
                                 const chm_tables* tables, chm_descriptor* descriptor,
                                 uint32_t* bad_byte, const chm_origin* origin,
                                 chm_diagnostics* diagnostics) {
    chm_descriptor_fault fault = {.origin = origin, .diagnostics = diagnostics};
    bool good = chm_descriptor_check_header(bytes, &fault);
    if (good) {
        extract(bytes, descriptor);
        good = chm_descriptor_check_fields(descriptor, tables, &fault);
    }
    *bad_byte = fault.byte;
    return good ? chm_ok : chm_bad_input;
}

static chm_descriptor_kind kind_of(const chm_operation* operation) {
    switch (operation->kind) {
    case chm_operation_collective: return chm_descriptor_collective;
    case chm_operation_compute: return chm_descriptor_marker;
    case chm_operation_wait: break;
    }
    return chm_descriptor_fence;
}

void chm_descriptor_from_operation(const chm_operation* operation, const chm_facts* facts,
                                   const chm_tables* tables, chm_descriptor* d) {
    memset(d, 0, sizeof *d);
    d->kind = kind_of(operation);
    d->seq = operation->seq;
    d->facts = *facts;
    d->waiting_die = CHM_NONE;
    d->value_in = d->value_out = d->layout_in = d->layout_out = CHM_NONE;
    d->communicator = operation->communicator;
    if (d->facts.next_seq == CHM_NONE) {
        d->facts.next_distance = 0;
    }
    if (d->kind == chm_descriptor_fence) {
        d->facts = (chm_facts){.next_seq = CHM_NONE, .needed_by = CHM_NONE};
        d->waiting_die = operation->waiting_die;
        return;
    }
    d->value_in = operation->operands[0].value;
    d->layout_in = operation->operands[0].layout;
    if (operation->result != CHM_NONE) {
        d->value_out = operation->result;
        d->layout_out = tables->values[operation->result].layout;
    } else { // a pure reader leaves the value as it found it
        d->value_out = d->value_in;
        d->layout_out = d->layout_in;
    }
    if (d->kind == chm_descriptor_collective) {
        d->collective = operation->collective;
        d->ordered_sum = operation->ordered_sum;
        return;
    }
    d->communicator = CHM_NONE;
    d->op_class = operation->op_class;
    d->cycles = operation->cycles;
    d->first_available = operation->first_available;
    d->available_count = operation->available_count;
}
