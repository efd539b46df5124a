// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/load_report.h"

#include <inttypes.h>

#include "c_api/src/fidelity_report.h"
#include "hw/base/json.h"
#include "platforms/platform.h"

static chm_fidelity_note fidelity_of(const chm_load_report* content, uint32_t point) {
    const chm_load_result* result = &content->results[point];
    return chm_fidelity_of_load(&content->platform->parameters.fabric, result->offered,
                                result->accepted);
}

static void put_result(chm_json* json, const chm_load_report* content, uint32_t point) {
    const chm_load_result* result = &content->results[point];
    const chm_fidelity_note fidelity = fidelity_of(content, point);
    chm_fidelity_keys(json, &fidelity);
    chm_json_put_double(json, "offered_flits_per_die_per_cycle", result->offered);
    chm_json_put_double(json, "accepted_flits_per_die_per_cycle", result->accepted);
    chm_json_put_double(json, "accepted_drift", result->drift);
    chm_json_put_double(json, "least_source_flits_per_cycle", result->least_source);
    chm_json_put_double(json, "busiest_port_flits_per_cycle", result->busiest_port);
    chm_json_put_u64(json, "packets", result->packets);
    chm_json_put_u64(json, "unfinished", result->unfinished);
    chm_json_key(json, "packet_latency_cycles");
    chm_json_object_begin(json);
    chm_json_put_double(json, "mean", result->latency_mean);
    chm_json_put_u64(json, "p50", result->latency_p50);
    chm_json_put_u64(json, "p99", result->latency_p99);
    chm_json_put_u64(json, "max", result->latency_max);
    chm_json_object_end(json);
}

chm_status chm_load_report_json(chm_text* text, const chm_load_report* content) {
    chm_json json;
    chm_json_begin(&json, text);
    chm_json_object_begin(&json);
    chm_json_put_string(&json, "platform", chm_platform_name(content->platform));
    chm_json_put_string(&json, "pattern", content->points[0].pattern);
    chm_json_put_u64(&json, "seed", content->points[0].seed);
    if (content->one) {
        put_result(&json, content, 0);
    } else {
        chm_json_key(&json, "points");
        chm_json_array_begin(&json);
        for (uint32_t i = 0; i < content->count; ++i) {
            chm_json_object_begin(&json);
            chm_json_put_double(&json, "rate", content->points[i].rate);
            put_result(&json, content, i);
            chm_json_object_end(&json);
        }
        chm_json_array_end(&json);
    }
    chm_json_object_end(&json);
    return chm_json_finish(&json);
}

static void one_as_text(chm_text* text, const chm_load_result* result) {
    chm_text_format(text, "offered   ");
    chm_text_double(text, result->offered, 4);
    chm_text_format(text, " flits per die per cycle\naccepted  ");
    chm_text_double(text, result->accepted, 4);
    chm_text_format(text, " flits per die per cycle (second half less first: ");
    chm_text_double(text, 100 * result->drift, 1);
    chm_text_format(text, " %%); least from a die ");
    chm_text_double(text, result->least_source, 4);
    chm_text_format(text, ", most at a die ");
    chm_text_double(text, result->busiest_port, 4);
    chm_text_format(
        text, "\npackets   %" PRIu64 ", of which %" PRIu64 " did not arrive\npacket latency  mean ",
        result->packets, result->unfinished);
    chm_text_double(text, result->latency_mean, 1);
    chm_text_format(text, ", p50 %" PRIu64 ", p99 %" PRIu64 ", max %" PRIu64 " cycles\n",
                    result->latency_p50, result->latency_p99, result->latency_max);
}

static void column(chm_text* text, double value, int decimals) {
    chm_text cell;
    chm_text_init(&cell);
    chm_text_double(&cell, value, decimals);
    chm_text_format(text, " %9s", chm_text_get(&cell));
    text->failed = text->failed || cell.failed;
    chm_text_free(&cell);
}

static void table_as_text(chm_text* text, const chm_load_report* content) {
    static const char* const names[] = {"rate", "offered", "accepted", "drift%", "least",
                                        "most", "mean",    "p50",      "p99",    "unfinished"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        chm_text_format(text, " %9s", names[i]);
    }
    chm_text_string(text, "\n");
    for (uint32_t i = 0; i < content->count; ++i) {
        const chm_load_result* result = &content->results[i];
        column(text, content->points[i].rate, 4);
        column(text, result->offered, 4);
        column(text, result->accepted, 4);
        column(text, 100 * result->drift, 1);
        column(text, result->least_source, 4);
        column(text, result->busiest_port, 4);
        column(text, result->latency_mean, 1);
        chm_text_format(text, " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", result->latency_p50,
                        result->latency_p99, result->unfinished);
    }
}

chm_status chm_load_report_text(chm_text* text, const chm_load_report* content) {
    chm_text_format(text, "platform %s, pattern %s, seed %" PRIu64 "\n",
                    chm_platform_name(content->platform), content->points[0].pattern,
                    content->points[0].seed);
    // Loosely timed: what holds for the lowest rate, and for the highest if that is another.
    const chm_fidelity_note low = fidelity_of(content, 0);
    const chm_fidelity_note high = fidelity_of(content, content->count - 1);
    chm_fidelity_as_text(text, &low);
    if (high.count > 0 && (low.count == 0 || high.kinds[0] != low.kinds[0])) {
        chm_fidelity_as_text(text, &high);
    }
    if (content->one) {
        one_as_text(text, &content->results[0]);
    } else {
        table_as_text(text, content);
    }
    return chm_text_status(text);
}
