// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/descriptor_check.h"

#include <inttypes.h>
#include <stdio.h>

// Reports field `name` at `byte` with its value and what is allowed; gives false.
static bool refuse(chm_descriptor_fault* fault, const char* name, uint32_t byte, uint64_t value,
                   const char* allowed) {
    fault->byte = byte;
    chm_diagnose(fault->diagnostics, fault->origin,
                 "descriptor field %s (byte %" PRIu32 ") is %" PRIu64 " (0x%" PRIx64
                 "), allowed: %s",
                 name, byte, value, value, allowed);
    return false;
}

// The same for an index into a table of `count` entries, or CHM_NONE where `none` is allowed.
static bool check_index(chm_descriptor_fault* fault, const char* name, uint32_t byte,
                        uint32_t value, uint32_t count, bool none) {
    char allowed[64];
    if (value < count || (none && value == CHM_NONE)) {
        return true;
    }
    if (count == 0) {
        snprintf(allowed, sizeof allowed, "nothing, the table is empty");
    } else {
        snprintf(allowed, sizeof allowed, "0..%" PRIu32 "%s", count - 1, none ? " or none" : "");
    }
    return refuse(fault, name, byte, value, allowed);
}

static bool check_none(chm_descriptor_fault* fault, const char* name, uint32_t byte,
                       uint32_t value) {
    return value == CHM_NONE ||
           refuse(fault, name, byte, value, "none (all ones) for this kind of descriptor");
}

static bool check_detail(const unsigned char* bytes, chm_descriptor_fault* fault) {
    static const struct {
        unsigned char last;
        const char* allowed;
    } details[] = {
        {chm_many_to_many, "0..5 (collective: R-S, A-G, A-R, A2A, P2P, M2MS)"},
        {chm_class_linear, "0..4 (class: opaque, transparent, row_wise, element_wise, linear)"},
        {0, "0 for a fence"},
    };
    unsigned char kind = bytes[chm_desc_kind];
    return bytes[chm_desc_detail] <= details[kind].last ||
           refuse(fault, "detail", chm_desc_detail, bytes[chm_desc_detail], details[kind].allowed);
}

static bool check_flags(const unsigned char* bytes, chm_descriptor_fault* fault) {
    static const struct {
        unsigned char mask;
        const char* allowed;
    } flags[] = {
        {0x0f, "bits 0..3 (next_unknown, readers_unknown, ready_at_start, ordered_sum)"},
        {0x07, "bits 0..2 (ordered_sum belongs to collectives)"},
        {0x00, "0 for a fence"},
    };
    unsigned char kind = bytes[chm_desc_kind];
    unsigned char value = bytes[chm_desc_flags];
    return (value & ~flags[kind].mask) == 0 ||
           refuse(fault, "flags", chm_desc_flags, value, flags[kind].allowed);
}

bool chm_descriptor_check_header(const unsigned char bytes[chm_descriptor_bytes],
                                 chm_descriptor_fault* fault) {
    if (bytes[chm_desc_version] != chm_descriptor_version) {
        return refuse(fault, "version", chm_desc_version, bytes[chm_desc_version], "1");
    }
    if (bytes[chm_desc_kind] > chm_descriptor_fence) {
        return refuse(fault, "kind", chm_desc_kind, bytes[chm_desc_kind],
                      "0..2 (collective, marker, fence)");
    }
    if (!check_detail(bytes, fault) || !check_flags(bytes, fault)) {
        return false;
    }
    for (uint32_t i = chm_desc_reserved; i < chm_descriptor_bytes; ++i) {
        if (bytes[i] != 0) {
            return refuse(fault, "reserved", i, bytes[i], "0");
        }
    }
    return true;
}

static bool check_order(const chm_descriptor* d, chm_descriptor_fault* fault) {
    const chm_facts* facts = &d->facts;
    if (d->seq == CHM_NONE) {
        return refuse(fault, "seq", chm_desc_seq, d->seq, "a place in the common list");
    }
    if (facts->next_unknown && facts->next_seq != CHM_NONE) {
        return refuse(fault, "next_seq", chm_desc_next_seq, facts->next_seq,
                      "none (all ones) beside flag next_unknown");
    }
    if (facts->next_seq <= d->seq) {
        return refuse(fault, "next_seq", chm_desc_next_seq, facts->next_seq,
                      "more than seq, or none (all ones)");
    }
    if (facts->needed_by <= d->seq) {
        return refuse(fault, "needed_by", chm_desc_needed_by, facts->needed_by,
                      "more than seq, or none (all ones)");
    }
    bool has_next = facts->next_seq != CHM_NONE;
    if (has_next != (facts->next_distance != 0)) {
        return refuse(fault, "next_distance", chm_desc_next_distance, facts->next_distance,
                      has_next ? "1..65535 with a next_seq" : "0 without a next_seq");
    }
    return true;
}

static bool die_in_layout(const chm_tables* tables, uint32_t layout, uint32_t die) {
    return layout != CHM_NONE && chm_mesh_rank(&tables->layouts[layout].mesh, die) != CHM_NO_RANK;
}

static bool check_fence(const chm_descriptor* d, const chm_tables* tables,
                        chm_descriptor_fault* fault) {
    const chm_communicator* c = &tables->communicators[d->communicator];
    if (d->waiting_die != CHM_NONE && !die_in_layout(tables, c->layout, d->waiting_die) &&
        !die_in_layout(tables, c->other_layout, d->waiting_die)) {
        return refuse(fault, "value_in", chm_desc_value_in, d->waiting_die,
                      "a die of the fence's communicator, or none (every die of it)");
    }
    return check_none(fault, "next_seq", chm_desc_next_seq, d->facts.next_seq) &&
           check_none(fault, "needed_by", chm_desc_needed_by, d->facts.needed_by) &&
           check_none(fault, "value_out", chm_desc_value_out, d->value_out) &&
           check_none(fault, "layout_in", chm_desc_layout_in, d->layout_in) &&
           check_none(fault, "layout_out", chm_desc_layout_out, d->layout_out);
}

// A layout of the table that suits the value: routed ones need its routing.
static bool check_layout(chm_descriptor_fault* fault, const char* name, uint32_t byte,
                         uint32_t layout, const chm_tables* tables, uint32_t value) {
    if (!check_index(fault, name, byte, layout, tables->layout_count, false)) {
        return false;
    }
    return !chm_layout_is_routed(&tables->layouts[layout]) ||
           tables->values[value].routing != CHM_NONE ||
           refuse(fault, name, byte, layout, "a layout without routing, as the value has none");
}

static bool check_value(const chm_descriptor* d, const chm_tables* tables,
                        chm_descriptor_fault* fault) {
    if (!check_index(fault, "value_in", chm_desc_value_in, d->value_in, tables->value_count,
                     false) ||
        !check_index(fault, "value_out", chm_desc_value_out, d->value_out, tables->value_count,
                     false)) {
        return false;
    }
    if (d->kind == chm_descriptor_collective && d->value_out == d->value_in) {
        return refuse(fault, "value_out", chm_desc_value_out, d->value_out,
                      "another value than value_in: every value is written once");
    }
    return check_layout(fault, "layout_in", chm_desc_layout_in, d->layout_in, tables,
                        d->value_in) &&
           check_layout(fault, "layout_out", chm_desc_layout_out, d->layout_out, tables,
                        d->value_out);
}

// first + count must lie in a table of `size`; the fault is the count's where first is good.
static bool check_range(chm_descriptor_fault* fault, const char* first_name, uint32_t first_byte,
                        uint32_t first, const char* count_name, uint32_t count_byte, uint32_t count,
                        uint32_t size) {
    char allowed[64];
    if (first > size) {
        snprintf(allowed, sizeof allowed, "0..%" PRIu32, size);
        return refuse(fault, first_name, first_byte, first, allowed);
    }
    if (count > size - first) {
        snprintf(allowed, sizeof allowed, "at most %" PRIu32 ", the rest of the table",
                 size - first);
        return refuse(fault, count_name, count_byte, count, allowed);
    }
    return true;
}

static bool check_readers(const chm_descriptor* d, const chm_tables* tables,
                          chm_descriptor_fault* fault) {
    const chm_facts* facts = &d->facts;
    if (!check_range(fault, "first_reader", chm_desc_first_reader, facts->first_reader,
                     "reader_count", chm_desc_reader_count, facts->reader_count,
                     tables->reader_count)) {
        return false;
    }
    if (facts->reader_count != 0 && (facts->readers_unknown || d->kind == chm_descriptor_fence)) {
        return refuse(fault, "reader_count", chm_desc_reader_count, facts->reader_count,
                      "0 for a fence or beside flag readers_unknown");
    }
    for (uint32_t i = 0; i < facts->reader_count; ++i) {
        const chm_reader* reader = &tables->readers[facts->first_reader + i];
        if (reader->value != d->value_out ||
            (reader->layout != CHM_NONE && reader->layout >= tables->layout_count)) {
            return refuse(fault, "first_reader", chm_desc_first_reader, facts->first_reader,
                          "a range of readers of value_out with layouts of the table");
        }
    }
    return true;
}

static bool check_available(const chm_descriptor* d, const chm_tables* tables,
                            chm_descriptor_fault* fault) {
    if (!check_range(fault, "first_available", chm_desc_first_available, d->first_available,
                     "available_count", chm_desc_available_count, d->available_count,
                     tables->available_count)) {
        return false;
    }
    if (d->kind != chm_descriptor_marker && d->available_count != 0) {
        return refuse(fault, "available_count", chm_desc_available_count, d->available_count,
                      "0 unless the descriptor is a marker");
    }
    for (uint32_t i = 0; i < d->available_count; ++i) {
        if (tables->available[d->first_available + i] >= tables->layout_count) {
            return refuse(fault, "first_available", chm_desc_first_available, d->first_available,
                          "a range of entries that are layouts of the table");
        }
    }
    if (d->kind != chm_descriptor_marker && d->cycles != 0) {
        return refuse(fault, "cycles", chm_desc_cycles, d->cycles,
                      "0 unless the descriptor is a marker");
    }
    return true;
}

bool chm_descriptor_check_fields(const chm_descriptor* d, const chm_tables* tables,
                                 chm_descriptor_fault* fault) {
    if (!check_order(d, fault)) {
        return false;
    }
    if (d->kind == chm_descriptor_marker) {
        if (!check_none(fault, "communicator", chm_desc_communicator, d->communicator)) {
            return false;
        }
    } else if (!check_index(fault, "communicator", chm_desc_communicator, d->communicator,
                            tables->communicator_count, false)) {
        return false;
    }
    bool fence = d->kind == chm_descriptor_fence;
    return (fence ? check_fence(d, tables, fault) : check_value(d, tables, fault)) &&
           check_readers(d, tables, fault) && check_available(d, tables, fault);
}
