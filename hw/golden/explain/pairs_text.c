// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <string.h>

#include "hw/golden/explain/explain.h"
#include "hw/golden/explain/pairs.h"

enum { layout_chars = 256 };

// "shard(tokens) on {0 1 5 6}": the mesh's shape says nothing in one dimension.
static void put_layout(chm_text* text, const chm_layout* layout) {
    char buffer[layout_chars];
    chm_text_string(text, chm_layout_format(layout, buffer, sizeof buffer));
}

static void put_path(const chm_pair_row* row, chm_text* text) {
    chm_text_string(text, "    ");
    put_layout(text, row->first_in);
    chm_text_string(text, "\n      -> ");
    put_layout(text, row->first_out);
    if (memcmp(row->first_out, row->second_in, sizeof *row->first_out) != 0) {
        chm_text_string(text, "\n      =  ");
        put_layout(text, row->second_in);
    }
    chm_text_string(text, "\n      -> ");
    put_layout(text, row->second_out);
    chm_text_string(text, "\n");
}

// The best candidate of every form that was not chosen.
static bool is_best_of_form(const chm_pair_row* row, uint32_t index) {
    const chm_candidate* c = &row->candidates.items[index];
    if (strcmp(c->form, row->chosen) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < row->candidates.count; ++i) {
        const chm_candidate* other = &row->candidates.items[i];
        if (i != index && strcmp(other->form, c->form) == 0 &&
            (other->estimated_cycles < c->estimated_cycles ||
             (other->estimated_cycles == c->estimated_cycles && i < index))) {
            return false;
        }
    }
    return true;
}

static void put_choice(const chm_pair_row* row, chm_text* text) {
    if (row->chosen[0] != '\0') {
        chm_text_format(text, "    chosen:   %s (%s), %" PRIu64 " cycles\n", row->chosen,
                        row->schedule, row->estimated_cycles);
    }
    for (uint32_t i = 0; i < row->candidates.count; ++i) {
        if (is_best_of_form(row, i)) {
            const chm_candidate* c = &row->candidates.items[i];
            chm_text_format(text, "    rejected: %s (%s), %" PRIu64 " cycles\n", c->form,
                            c->schedule, c->estimated_cycles);
        }
    }
}

void chm_pairs_text(const chm_pair_table* table, chm_text* text) {
    chm_text_format(text,
                    "pairs of collectives on %s, groups of 4 dies, tensor %" PRIu64 " x %" PRIu64
                    " x %" PRIu32 " bytes\n",
                    table->topology->name, table->tensor.tokens, table->tensor.width,
                    table->tensor.element_bytes);
    for (uint32_t i = 0; i < table->count; ++i) {
        const chm_pair_row* row = &table->rows[i];
        chm_text_format(text, "%s + %s -> %s: %" PRIu64 " bytes before, %" PRIu64 " after; %s\n",
                        chm_collective_name(row->first), chm_collective_name(row->second),
                        row->form, row->bytes_before, row->bytes_after, row->reason);
        put_path(row, text);
        put_choice(row, text);
    }
}

static void json_layout(chm_json* json, const char* key, const chm_layout* layout) {
    char buffer[layout_chars];
    chm_json_put_string(json, key, chm_layout_format(layout, buffer, sizeof buffer));
}

void chm_pairs_json(const chm_pair_table* table, chm_json* json) {
    chm_json_object_begin(json);
    chm_json_put_string(json, "platform", table->topology->name);
    chm_json_put_u64(json, "message_bytes",
                     table->tensor.tokens * table->tensor.width * table->tensor.element_bytes);
    chm_json_key(json, "pairs");
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < table->count; ++i) {
        const chm_pair_row* row = &table->rows[i];
        chm_json_object_begin(json);
        chm_json_put_string(json, "first", chm_collective_name(row->first));
        chm_json_put_string(json, "second", chm_collective_name(row->second));
        json_layout(json, "first_in", row->first_in);
        json_layout(json, "first_out", row->first_out);
        json_layout(json, "second_in", row->second_in);
        json_layout(json, "second_out", row->second_out);
        chm_json_put_string(json, "form", row->form);
        chm_json_put_u64(json, "bytes_before", row->bytes_before);
        chm_json_put_u64(json, "bytes_after", row->bytes_after);
        chm_json_put_string(json, "reason", row->reason);
        chm_json_put_string(json, "chosen", row->chosen);
        chm_json_put_string(json, "schedule", row->schedule);
        chm_json_put_u64(json, "estimated_cycles", row->estimated_cycles);
        chm_json_key(json, "candidates");
        chm_candidates_json(&row->candidates, json);
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
    chm_json_object_end(json);
}
