// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/base/arena.h"
#include "hw/base/diagnostics.h"

// A strict YAML reader (libfyaml does the parsing): one document, no aliases, anchors, tags or
// merge keys, no duplicate keys, valid UTF-8. The result is a plain tree in the caller's arena in
// which every node knows its line and column. libfyaml appears in yaml.c only.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_yaml_kind { chm_yaml_scalar, chm_yaml_sequence, chm_yaml_mapping } chm_yaml_kind;

typedef struct chm_yaml_node chm_yaml_node;

struct chm_yaml_node {
    chm_yaml_kind kind;
    chm_origin origin;          // of the value; of the key where the value is empty
    const char* key;            // in a mapping: this entry's key, else null
    chm_origin key_origin;      // in a mapping: where the key stands
    const char* text;           // scalar: its text, "" if empty
    bool quoted;                // scalar: was quoted
    const chm_yaml_node* items; // sequence items or mapping values, in file order
    size_t count;
    bool used; // set by chm_yaml_get, for the unknown-key check
};

// Reads a file. Faults are added to diagnostics with file:line:column: not readable, a directory,
// empty or comment-only, invalid UTF-8, syntax (the first), duplicate keys, aliases, anchors, tags,
// merge keys, folded text, a second document, nesting deeper than 64.
chm_status chm_yaml_read_file(const char* path, chm_arena* arena, const chm_yaml_node** root,
                              chm_diagnostics* diagnostics);

// The same from memory; `name` stands for the file in messages.
chm_status chm_yaml_read_text(const char* name, const char* text, size_t length, chm_arena* arena,
                              const chm_yaml_node** root, chm_diagnostics* diagnostics);

// The value of a key, null if absent (or if node is no mapping). Marks it used.
const chm_yaml_node* chm_yaml_get(const chm_yaml_node* mapping, const char* key);

// Adds "unknown key 'x'; allowed: a, b, c" for every entry not marked used. `allowed` is for the
// message.
void chm_yaml_refuse_unknown(const chm_yaml_node* mapping, const char* allowed,
                             chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
