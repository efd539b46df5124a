// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "size.h"

// Each function prints the members of an object, in one order, with what separates them.

static void put_text(const char* text) {
    putchar('"');
    for (const char* at = text; *at != '\0'; ++at) {
        const unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') {
            printf("\\%c", c);
        } else if (c < 0x20) {
            printf("\\u%04x", c);
        } else {
            putchar(c);
        }
    }
    putchar('"');
}

static void put_member(const char* key, const char* text) {
    printf("\"%s\": ", key);
    put_text(text);
}

static void put_percent(const char* key, double percent) {
    if (isnan(percent)) {
        printf("\"%s\": null", key);
    } else {
        printf("\"%s\": %.3f", key, fabs(percent) < 0.0005 ? 0.0 : percent);
    }
}

// {"cycles": ...} or {"does_not_fit": "why"}
static void put_outcome(const size_outcome* outcome) {
    if (outcome->status != chm_ok) {
        put_member("does_not_fit", outcome->reason);
        return;
    }
    const chm_result* on = &outcome->on;
    printf("\"cycles\": %" PRIu64 ", \"engine_off_cycles\": ", on->cycles);
    if (outcome->off_cycles != 0) {
        printf("%" PRIu64 ", \"speedup\": %.4f, ", outcome->off_cycles, size_speedup(outcome));
    } else {
        printf("null, \"speedup\": null, ");
    }
    printf("\"lower_bound_cycles\": %" PRIu64 ", \"bandwidth_cycles\": %" PRIu64
           ", \"latency_cycles\": %" PRIu64 ", ",
           on->lower_bound_cycles, on->bandwidth_cycles, on->latency_cycles);
    put_member("bound_by", on->bound_by);
    printf(", ");
    put_member("runner_up", on->runner_up);
    printf(", \"runner_up_cycles\": %" PRIu64, on->runner_up_cycles);
}

static void put_point(const size_point* point) {
    printf("{\"value\": %" PRIu64 ", ", point->value);
    put_outcome(&point->outcome);
    printf("}");
}

static void put_knee(const size_study* study, const size_sweep* sweep) {
    printf("    \"knee\": {\"value\": %" PRIu64 ", \"cheaper_may_do\": %s, "
           "\"dearer_would_gain_more\": %s, \"cheaper_is_faster\": %s",
           sweep->points[sweep->knee].value, sweep->cheaper_may_do ? "true" : "false",
           sweep->still_falling ? "true" : "false", sweep->cheaper_is_faster ? "true" : "false");
    if (study->confirms) {
        printf(", \"disputed\": %s, \"at\": {", sweep->disputed ? "true" : "false");
        put_outcome(&sweep->confirmed);
        printf("}");
    }
    printf("},\n");
}

static void put_sweep(const size_study* study, const size_sweep* sweep) {
    printf("    ");
    put_member("name", sweep->key->name);
    printf(",\n    ");
    put_member("unit", sweep->parameter.unit);
    printf(",\n    ");
    put_member("cheaper", sweep->key->kind == size_resource ? "smaller" : "larger");
    printf(",\n    \"zero\": ");
    if (sweep->key->zero != NULL) {
        put_text(sweep->key->zero);
    } else {
        printf("null");
    }
    printf(",\n    \"value\": %" PRIu64 ",\n    ", sweep->points[sweep->at_default].value);
    put_percent("halved_percent", sweep->halved);
    printf(",\n    ");
    put_percent("doubled_percent", sweep->doubled);
    printf(",\n");
    put_knee(study, sweep);
    printf("    \"best\": %" PRIu64
           ",\n    \"no_effect\": %s,\n    \"binds\": %s,\n    \"behind\": ",
           sweep->points[sweep->best].value, sweep->no_effect ? "true" : "false",
           sweep->binds ? "true" : "false");
    if (sweep->behind != NULL) {
        printf("{");
        put_member("name", sweep->behind->key->name);
        printf(", ");
        put_percent("percent", -sweep->behind_percent);
        printf("},\n");
    } else {
        printf("null,\n");
    }
    printf("    \"points\": [");
    for (size_t i = 0; i < sweep->count; ++i) {
        printf(i > 0 ? ",\n      " : "\n      ");
        put_point(&sweep->points[i]);
    }
    printf("]");
}

static void put_fidelity(const size_study* study) {
    const chm_fidelity_error* error = &study->error;
    printf("  \"fidelity\": \"%s\",\n  \"confirmed_with\": %s,\n", study->fidelity,
           study->confirms ? "\"at\"" : "null");
    if (error->loosely_timed != 0) {
        printf("  \"fidelity_error\": {\"median_percent\": %.1f, \"worst_percent\": %.1f, "
               "\"one_seed_percent\": %.1f, \"as_measured\": %s},\n",
               error->median_percent, error->worst_percent, error->one_seed_percent,
               error->as_measured != 0 ? "true" : "false");
    }
}

void size_print_json(const size_study* study) {
    const size_sweep* first = size_first_binding(study);
    printf("{\n  ");
    put_member("platform", chm_platform_name(study->platform));
    printf(",\n  ");
    put_member("program", chm_program_name(study->program));
    printf(",\n  \"message_bytes\": %" PRIu64 ",\n  \"seed\": %" PRIu64 ",\n",
           chm_program_message_bytes(study->program), study->seed);
    put_fidelity(study);
    printf("  \"knee_percent\": %d,\n  \"as_it_stands\": {", size_knee_percent);
    put_outcome(&study->at_default);
    if (study->confirms) {
        printf(", \"at\": {");
        put_outcome(&study->confirmed);
        printf("}");
    }
    printf("},\n  \"all_cheaper_at_their_knees\": {");
    put_outcome(&study->savings);
    printf("},\n  \"all_at_their_knees\": {");
    put_outcome(&study->all_knees);
    printf("},\n  \"binds_first\": ");
    if (first != NULL) {
        put_text(first->key->name);
    } else {
        printf("null");
    }
    printf(",\n  \"parameters\": [");
    for (size_t i = 0; i < study->count; ++i) {
        printf(i > 0 ? ",\n  {\n" : "\n  {\n");
        put_sweep(study, &study->sweeps[i]);
        printf("\n  }");
    }
    printf("\n  ]\n}\n");
}
