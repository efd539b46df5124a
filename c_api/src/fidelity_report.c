// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/fidelity_report.h"

static chm_fidelity_note empty_note(const chm_fabric_params* fabric) {
    chm_parameters defaults;
    chm_parameters_default(&defaults);
    const chm_fabric_params* measured = &defaults.fabric;
    chm_fidelity_note note = {0};
    note.fidelity = fabric->fidelity == chm_fidelity_lt ? chm_fidelity_lt : chm_fidelity_at;
    note.as_measured = fabric->lt_in_order == measured->lt_in_order &&
                       fabric->lt_horizon_cycles == measured->lt_horizon_cycles &&
                       fabric->lt_chunk_bytes == measured->lt_chunk_bytes &&
                       fabric->lt_chunk_share == measured->lt_chunk_share;
    return note;
}

chm_fidelity_note chm_fidelity_of_program(const chm_fabric_params* fabric) {
    return chm_fidelity_of_graph(fabric, true); // its transfers wait for each other
}

chm_fidelity_note chm_fidelity_of_graph(const chm_fabric_params* fabric, bool dependent) {
    chm_fidelity_note note = empty_note(fabric);
    note.count = chm_lt_graph_traffic(dependent, note.kinds);
    return note;
}

chm_fidelity_note chm_fidelity_of_load(const chm_fabric_params* fabric, double offered,
                                       double accepted) {
    chm_fidelity_note note = empty_note(fabric);
    note.kinds[0] = chm_lt_load_traffic(offered, accepted);
    note.count = 1;
    return note;
}

void chm_fidelity_as_text(chm_text* text, const chm_fidelity_note* note) {
    if (note->fidelity == chm_fidelity_at) {
        return;
    }
    chm_text_string(text, "fidelity lt, measured against at (docs/fidelity.md):\n");
    for (size_t i = 0; i < note->count; ++i) {
        const chm_lt_error* error = chm_lt_error_of(note->kinds[i]);
        chm_text_format(text, "  %s: %s within ", error->meaning, error->figure);
        chm_text_double(text, error->worst_percent, 1);
        chm_text_string(text, " %, median within ");
        chm_text_double(text, error->median_percent, 1);
        chm_text_string(text, " %");
        if (error->one_seed_percent > error->worst_percent) {
            chm_text_string(text, "; one seed of random routes within ");
            chm_text_double(text, error->one_seed_percent, 1);
            chm_text_string(text, " %");
        }
        chm_text_string(text, "\n");
    }
    if (!note->as_measured) {
        chm_text_string(text, "  measured with the default lt_ parameters; this run has others\n");
    }
}

void chm_fidelity_keys(chm_json* json, const chm_fidelity_note* note) {
    chm_json_put_string(json, "fidelity", note->fidelity == chm_fidelity_lt ? "lt" : "at");
    if (note->fidelity == chm_fidelity_at) {
        return;
    }
    chm_json_key(json, "fidelity_errors");
    chm_json_array_begin(json);
    for (size_t i = 0; i < note->count; ++i) {
        const chm_lt_error* error = chm_lt_error_of(note->kinds[i]);
        chm_json_object_begin(json);
        chm_json_put_string(json, "traffic", error->name);
        chm_json_put_string(json, "figure", error->figure);
        chm_json_put_double(json, "median_percent", error->median_percent);
        chm_json_put_double(json, "worst_percent", error->worst_percent);
        chm_json_put_double(json, "one_seed_percent", error->one_seed_percent);
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
    chm_json_put_bool(json, "fidelity_errors_as_measured", note->as_measured);
}
