// SPDX-License-Identifier: Apache-2.0
#include "hw/base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

#include "hw/base/utf8.h"

// The tree is built from parser events rather than from libfyaml's documents: events show what a
// document hides or drops silently (a second document, aliases, anchors, tags, duplicate keys).

enum { max_nesting = 64 };

typedef struct reader {
    struct fy_parser* parser;
    const char* name; // in the arena
    chm_arena* arena;
    chm_diagnostics* diagnostics;
    chm_status status; // no_memory and bad_input that make going on pointless
    chm_origin last;   // of the value read last
} reader;

typedef struct item_list {
    chm_yaml_node* items;
    size_t count, capacity;
} item_list;

static chm_origin at_mark(const reader* in, const struct fy_mark* mark) {
    chm_origin origin = {in->name, 0, 0};
    if (mark != NULL) {
        origin.line = (uint32_t)mark->line + 1;
        origin.column = (uint32_t)mark->column + 1;
    }
    return origin;
}

static bool parse_node(reader* in, struct fy_event* event, uint32_t depth, chm_yaml_node* node);

static bool stop(reader* in, chm_status status) {
    in->status = in->status == chm_ok ? status : in->status;
    return false;
}

// Null at the end of the stream and after a syntax error.
static struct fy_event* next_event(reader* in) {
    return fy_parser_parse(in->parser);
}

static void refuse_token(reader* in, struct fy_token* token, const char* what) {
    if (token == NULL) {
        return;
    }
    size_t length = 0;
    const char* text = fy_token_get_text(token, &length);
    chm_origin origin = at_mark(in, fy_token_start_mark(token));
    chm_diagnose(in->diagnostics, &origin, "%s '%.*s' is not supported; write the value out", what,
                 text != NULL ? (int)length : 0, text != NULL ? text : "");
}

static bool scalar_text(reader* in, struct fy_event* event, chm_yaml_node* node) {
    struct fy_token* token = event->scalar.value;
    enum fy_scalar_style style = token != NULL ? fy_token_scalar_style(token) : FYSS_PLAIN;
    size_t length = 0;
    const char* text = NULL;
    if (style == FYSS_FOLDED) {
        // Of lines that are indented further the library (0.7.12) makes text with bytes in it that
        // nobody wrote.
        chm_diagnose(in->diagnostics, &node->origin,
                     "folded text ('>') is not supported; allowed: a plain or quoted value");
    } else if (token != NULL) {
        text = fy_token_get_text(token, &length);
    }
    char* copy = chm_arena_alloc(in->arena, length + 1, 1);
    if (copy == NULL) {
        return stop(in, chm_no_memory);
    }
    if (length != 0) {
        memcpy(copy, text, length);
    }
    node->quoted = style != FYSS_PLAIN;
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) {
        node->origin.column--; // the library's mark stands behind the quote
    }
    if (memchr(copy, '\0', length) != NULL) {
        chm_diagnose(in->diagnostics, &node->origin, "a scalar with a NUL character");
    }
    node->text = copy;
    return true;
}

static chm_yaml_node* append_item(reader* in, item_list* list) {
    void* items = list->items;
    if (chm_arena_grow(in->arena, &items, &list->capacity, list->count + 1,
                       sizeof(chm_yaml_node)) != chm_ok) {
        stop(in, chm_no_memory);
        return NULL;
    }
    list->items = items;
    return &list->items[list->count++];
}

static bool parse_sequence(reader* in, uint32_t depth, chm_yaml_node* node) {
    item_list list = {NULL, 0, 0};
    for (;;) {
        struct fy_event* event = next_event(in);
        if (event == NULL) {
            return false;
        }
        bool end = event->type == FYET_SEQUENCE_END;
        chm_yaml_node* item = end ? NULL : append_item(in, &list);
        bool good = end || (item != NULL && parse_node(in, event, depth + 1, item));
        fy_parser_event_free(in->parser, event);
        if (end || !good) {
            node->items = list.items;
            node->count = list.count;
            return good;
        }
    }
}

// A key must be a plain or quoted scalar that is not empty and no merge key.
static bool parse_key(reader* in, struct fy_event* event, uint32_t depth, chm_yaml_node* entry) {
    chm_yaml_node key;
    memset(&key, 0, sizeof key);
    bool is_scalar = event->type == FYET_SCALAR;
    if (!parse_node(in, event, depth + 1, &key)) {
        return false;
    }
    entry->key_origin = key.origin;
    entry->key = is_scalar ? key.text : "";
    if (!is_scalar && event->type != FYET_ALIAS) {
        chm_diagnose(in->diagnostics, &key.origin, "a key must be a scalar");
    } else if (is_scalar && key.text[0] == '\0') {
        chm_diagnose(in->diagnostics, &key.origin, "an empty key");
    } else if (is_scalar && !key.quoted && strcmp(key.text, "<<") == 0) {
        chm_diagnose(in->diagnostics, &key.origin,
                     "merge key '<<' is not supported; write the keys out");
    }
    return true;
}

static int compare_keys(const void* a, const void* b) {
    const chm_yaml_node* left = *(const chm_yaml_node* const*)a;
    const chm_yaml_node* right = *(const chm_yaml_node* const*)b;
    int order = strcmp(left->key, right->key);
    return order != 0 ? order : (left < right ? -1 : left > right); // one array: file order
}

static bool refuse_duplicates(reader* in, const item_list* list) {
    if (list->count < 2) {
        return true;
    }
    const chm_yaml_node** sorted = chm_arena_alloc(in->arena, list->count, sizeof *sorted);
    if (sorted == NULL) {
        return stop(in, chm_no_memory);
    }
    for (size_t i = 0; i < list->count; ++i) {
        sorted[i] = &list->items[i];
    }
    qsort(sorted, list->count, sizeof *sorted, compare_keys);
    const chm_yaml_node* first = sorted[0];
    for (size_t i = 1; i < list->count; ++i) {
        if (strcmp(first->key, sorted[i]->key) != 0) {
            first = sorted[i];
        } else if (first->key[0] != '\0') {
            chm_diagnose(in->diagnostics, &sorted[i]->key_origin,
                         "duplicate key '%s'; it stands at %u:%u already", first->key,
                         first->key_origin.line, first->key_origin.column);
        }
    }
    return true;
}

static bool parse_mapping(reader* in, uint32_t depth, chm_yaml_node* node) {
    item_list list = {NULL, 0, 0};
    bool good = true;
    for (bool end = false; good && !end;) {
        struct fy_event* key = next_event(in);
        if (key == NULL) {
            return false;
        }
        end = key->type == FYET_MAPPING_END;
        if (!end) {
            chm_yaml_node* entry = append_item(in, &list);
            good = entry != NULL && parse_key(in, key, depth, entry);
            struct fy_event* value = good ? next_event(in) : NULL;
            good = value != NULL && parse_node(in, value, depth + 1, entry);
            if (value != NULL) {
                fy_parser_event_free(in->parser, value);
            }
        }
        fy_parser_event_free(in->parser, key);
    }
    node->items = list.items;
    node->count = list.count;
    return good && refuse_duplicates(in, &list);
}

// Fills *node, whose key fields are set already, from the event that starts it.
static bool parse_node(reader* in, struct fy_event* event, uint32_t depth, chm_yaml_node* node) {
    node->origin = at_mark(in, fy_event_start_mark(event));
    in->last = node->origin;
    node->text = "";
    if (depth > max_nesting) {
        chm_diagnose(in->diagnostics, &node->origin, "nested deeper than %d levels", max_nesting);
        return stop(in, chm_bad_input);
    }
    if (event->type != FYET_ALIAS) {
        refuse_token(in, fy_event_get_anchor_token(event), "anchor");
        refuse_token(in, fy_event_get_tag_token(event), "tag");
    }
    switch (event->type) {
    case FYET_ALIAS:
        node->kind = chm_yaml_scalar;
        refuse_token(in, event->alias.anchor, "alias");
        return true;
    case FYET_SCALAR:
        node->kind = chm_yaml_scalar;
        if (!scalar_text(in, event, node)) {
            return false;
        }
        if (node->key != NULL && node->text[0] == '\0' && !node->quoted) {
            node->origin = node->key_origin; // an empty value has no place of its own
        }
        return true;
    case FYET_SEQUENCE_START:
        node->kind = chm_yaml_sequence;
        return parse_sequence(in, depth, node);
    case FYET_MAPPING_START: node->kind = chm_yaml_mapping; return parse_mapping(in, depth, node);
    default: return stop(in, chm_internal);
    }
}

// The stream: exactly one document with one node that is not an empty scalar. False if the parser
// stopped before its end.
static bool parse_stream(reader* in, chm_yaml_node* root, bool* found) {
    uint32_t documents = 0;
    for (struct fy_event* event; (event = next_event(in)) != NULL;) {
        enum fy_event_type type = event->type;
        bool good = true;
        if (type == FYET_DOCUMENT_START && ++documents > 1) {
            chm_origin origin = at_mark(in, fy_event_start_mark(event));
            chm_diagnose(in->diagnostics, &origin, "a second document; a file holds one");
            good = stop(in, chm_bad_input);
        } else if (type != FYET_STREAM_START && type != FYET_STREAM_END &&
                   type != FYET_DOCUMENT_START && type != FYET_DOCUMENT_END) {
            good = parse_node(in, event, 0, root);
            *found = root->kind != chm_yaml_scalar || root->text[0] != '\0' || root->quoted;
        }
        fy_parser_event_free(in->parser, event);
        if (!good || type == FYET_STREAM_END) {
            return good;
        }
    }
    return false;
}

// libfyaml keeps its errors; the first is the one that counts, the others follow from it.
static void report_syntax_error(reader* in, struct fy_diag* diag) {
    void* iterator = NULL;
    const struct fy_diag_error* error = fy_diag_errors_iterate(diag, &iterator);
    if (error == NULL) {
        return;
    }
    chm_origin origin = {in->name, (uint32_t)error->line, (uint32_t)error->column};
    chm_diagnose(in->diagnostics, &origin, "YAML syntax: %s", error->msg);
    stop(in, chm_bad_input);
}

static void discard_output(struct fy_diag* diag, void* user, const char* text, size_t length) {
    (void)diag, (void)user, (void)text, (void)length;
}

static chm_status parse_text(reader* in, const char* text, size_t length,
                             const chm_yaml_node** root) {
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    diag_config.output_fn = discard_output;
    diag_config.colorize = false;
    struct fy_diag* diag = fy_diag_create(&diag_config);
    if (diag == NULL) {
        return chm_no_memory;
    }
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg config = {"", FYPCF_DISABLE_MMAP_OPT | FYPCF_JSON_NONE, NULL, diag};
    in->parser = fy_parser_create(&config);
    chm_yaml_node* node = chm_arena_alloc(in->arena, 1, sizeof *node);
    if (in->parser == NULL || node == NULL || fy_parser_set_string(in->parser, text, length) != 0) {
        stop(in, chm_no_memory);
    } else {
        bool found = false;
        const uint32_t errors_before = in->diagnostics->errors;
        bool complete = parse_stream(in, node, &found);
        report_syntax_error(in, diag);
        if (!complete && in->diagnostics->errors == errors_before && in->status == chm_ok) {
            // libfyaml 0.7.12 stops at some errors without a word.
            chm_diagnose(in->diagnostics, &in->last,
                         "YAML syntax: the file cannot be read beyond the value that begins here");
            stop(in, chm_bad_input);
        }
        if (in->status == chm_ok && !found) {
            chm_diagnose(in->diagnostics, &(chm_origin){in->name, 1, 1},
                         "the file is empty; a document is needed");
        }
        *root = node;
    }
    if (in->parser != NULL) {
        fy_parser_destroy(in->parser);
    }
    fy_diag_destroy(diag);
    return in->status;
}

chm_status chm_yaml_read_text(const char* name, const char* text, size_t length, chm_arena* arena,
                              const chm_yaml_node** root, chm_diagnostics* diagnostics) {
    reader in = {.name = chm_arena_string(arena, name),
                 .arena = arena,
                 .diagnostics = diagnostics,
                 .status = chm_ok};
    if (in.name == NULL) {
        return chm_no_memory;
    }
    in.last = (chm_origin){in.name, 1, 1};
    chm_origin origin = {in.name, 0, 0};
    const char* fault = chm_utf8_check(text, length, &origin.line, &origin.column);
    if (fault != NULL) {
        chm_diagnose(diagnostics, &origin, "%s", fault);
        return chm_bad_input;
    }
    uint32_t errors_before = diagnostics->errors;
    const chm_yaml_node* result = NULL;
    chm_status status = parse_text(&in, text, length, &result);
    if (status == chm_ok && diagnostics->errors != errors_before) {
        status = chm_bad_input;
    }
    if (status == chm_ok) {
        *root = result;
    }
    return status;
}
