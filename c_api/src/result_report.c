// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/result_report.h"

#include <inttypes.h>
#include <stddef.h>

// The integers of a result, in the order in which they are reported.
static const struct {
    const char* key;
    size_t offset;
    const char* unit;
} integers[] = {
    {"cycles", offsetof(chm_result, cycles), "cycles"},
    {"time_ps", offsetof(chm_result, time_ps), "ps"},
    {"bytes_asked", offsetof(chm_result, bytes_asked), "bytes"},
    {"bytes_moved", offsetof(chm_result, bytes_moved), "bytes"},
    {"metadata_bytes", offsetof(chm_result, metadata_bytes), "bytes"},
    {"byte_hops", offsetof(chm_result, byte_hops), "byte hops"},
    {"compute_busy_cycles", offsetof(chm_result, compute_busy_cycles), "cycles, most on one die"},
    {"communication_busy_cycles", offsetof(chm_result, communication_busy_cycles),
     "cycles, most on one die"},
    {"exposed_communication_cycles", offsetof(chm_result, exposed_communication_cycles),
     "cycles, most on one die"},
    {"lower_bound_cycles", offsetof(chm_result, lower_bound_cycles), "cycles"},
    {"bandwidth_cycles", offsetof(chm_result, bandwidth_cycles), "cycles"},
    {"latency_cycles", offsetof(chm_result, latency_cycles), "cycles"},
    {"peak_memory_bytes", offsetof(chm_result, peak_memory_bytes), "bytes, most on one die"},
};

// What links lost and was sent again: in JSON always, in texts where there is any.
static const struct {
    const char* key;
    size_t offset;
} losses[] = {
    {"dropped_packets", offsetof(chm_result, dropped_packets)},
    {"corrupted_packets", offsetof(chm_result, corrupted_packets)},
    {"replayed_packets", offsetof(chm_result, replayed_packets)},
    {"returned_packets", offsetof(chm_result, returned_packets)},
};

enum { loss_count = sizeof losses / sizeof losses[0] };
enum { integer_count = sizeof integers / sizeof integers[0] };

static uint64_t integer(const chm_result* result, size_t offset) {
    return *(const uint64_t*)((const char*)result + offset);
}

const char* chm_data_state_name(chm_data_state state) {
    static const char* const names[] = {"off", "equal", "different"};
    return names[state];
}

void chm_header_keys(chm_json* json, const chm_run_header* header) {
    chm_json_put_string(json, "platform", header->platform);
    chm_json_put_string(json, "program", header->program);
    chm_json_put_u64(json, "message_bytes", header->message_bytes);
    chm_json_put_u64(json, "seed", header->seed);
    chm_fidelity_keys(json, &header->fidelity);
}

void chm_result_keys(chm_json* json, const chm_result* result) {
    for (int i = 0; i < integer_count; ++i) {
        chm_json_put_u64(json, integers[i].key, integer(result, integers[i].offset));
    }
    for (int i = 0; i < loss_count; ++i) {
        chm_json_put_u64(json, losses[i].key, integer(result, losses[i].offset));
    }
    chm_json_put_string(json, "bound_by", result->bound_by);
    chm_json_put_string(json, "runner_up", result->runner_up);
    chm_json_put_u64(json, "runner_up_cycles", result->runner_up_cycles);
}

void chm_data_keys(chm_json* json, chm_data_state state, const char* first_difference) {
    chm_json_put_string(json, "data", chm_data_state_name(state));
    if (state == chm_data_different) {
        chm_json_put_string(json, "first_difference", first_difference);
    }
}

static void header_as_text(chm_text* text, const chm_run_header* header) {
    chm_text_format(text, "platform %s, program %s, message_bytes %" PRIu64 ", seed %" PRIu64 "\n",
                    header->platform, header->program, header->message_bytes, header->seed);
    chm_fidelity_as_text(text, &header->fidelity);
}

static void data_as_text(chm_text* text, chm_data_state state, const char* first_difference) {
    chm_text_format(text, "data %s%s%s\n", chm_data_state_name(state),
                    state == chm_data_different ? ": " : "",
                    state == chm_data_different ? first_difference : "");
}

void chm_run_as_text(chm_text* text, const chm_run_header* header, const chm_result* result,
                     bool engine) {
    header_as_text(text, header);
    chm_text_format(text, "%-29s %14s\n", "engine", engine ? "on" : "off");
    for (int i = 0; i < integer_count; ++i) {
        chm_text_format(text, "%-29s %14" PRIu64 " %s\n", integers[i].key,
                        integer(result, integers[i].offset), integers[i].unit);
    }
    for (int i = 0; i < loss_count; ++i) {
        if (integer(result, losses[i].offset) > 0) {
            chm_text_format(text, "%-29s %14" PRIu64 " packets\n", losses[i].key,
                            integer(result, losses[i].offset));
        }
    }
    chm_text_format(text, "bound by %s; next %s\n", result->bound_by, result->runner_up);
    data_as_text(text, result->data, result->first_difference);
}

chm_status chm_run_as_json(chm_text* text, const chm_run_header* header, const chm_result* result,
                           bool engine) {
    chm_json json;
    chm_json_begin(&json, text);
    chm_json_object_begin(&json);
    chm_header_keys(&json, header);
    chm_json_put_string(&json, "engine", engine ? "on" : "off");
    chm_result_keys(&json, result);
    chm_data_keys(&json, result->data, result->first_difference);
    chm_json_object_end(&json);
    return chm_json_finish(&json);
}

static const char* first_difference(const chm_comparison* comparison) {
    return comparison->unfused.data == chm_data_different ? comparison->unfused.first_difference
                                                          : comparison->fused.first_difference;
}

void chm_comparison_as_text(chm_text* text, const chm_run_header* header,
                            const chm_comparison* comparison) {
    header_as_text(text, header);
    chm_text_format(text, "%-29s %14s %14s\n", "engine", "off", "on");
    for (int i = 0; i < integer_count; ++i) {
        chm_text_format(text, "%-29s %14" PRIu64 " %14" PRIu64 " %s\n", integers[i].key,
                        integer(&comparison->unfused, integers[i].offset),
                        integer(&comparison->fused, integers[i].offset), integers[i].unit);
    }
    for (int i = 0; i < loss_count; ++i) {
        const uint64_t unfused = integer(&comparison->unfused, losses[i].offset);
        const uint64_t fused = integer(&comparison->fused, losses[i].offset);
        if (unfused + fused > 0) {
            chm_text_format(text, "%-29s %14" PRIu64 " %14" PRIu64 " packets\n", losses[i].key,
                            unfused, fused);
        }
    }
    chm_text_format(text, "bound by %s; next %s\nspeedup ", comparison->fused.bound_by,
                    comparison->fused.runner_up);
    chm_text_double(text, comparison->speedup, 3);
    chm_text_string(text, "\n");
    data_as_text(text, comparison->data, first_difference(comparison));
}

chm_status chm_comparison_as_json(chm_text* text, const chm_run_header* header,
                                  const chm_comparison* comparison) {
    chm_json json;
    chm_json_begin(&json, text);
    chm_json_object_begin(&json);
    chm_header_keys(&json, header);
    chm_json_key(&json, "unfused");
    chm_json_object_begin(&json);
    chm_result_keys(&json, &comparison->unfused);
    chm_json_object_end(&json);
    chm_json_key(&json, "fused");
    chm_json_object_begin(&json);
    chm_result_keys(&json, &comparison->fused);
    chm_json_object_end(&json);
    chm_json_put_double(&json, "speedup", comparison->speedup);
    chm_data_keys(&json, comparison->data, first_difference(comparison));
    chm_json_object_end(&json);
    return chm_json_finish(&json);
}
