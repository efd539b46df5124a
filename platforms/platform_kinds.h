// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/yaml.h"
#include "platforms/platform.h"

// The kinds of platform: what a file's `platform` may say, which keys it then takes, and who
// builds it. A new kind is one entry here and one file beside it.

typedef struct chm_build_request {
    const chm_platform_shape* shape;
    const chm_fabric_params* fabric;
    const chm_yaml_node* root; // the file, for kinds that list their wiring in it
    const chm_origin* file;
    chm_arena* arena;
    chm_diagnostics* diagnostics;
} chm_build_request;

typedef struct chm_platform_kind {
    const char* name;
    const chm_key_table* keys; // of its shape
    const char* optional;      // the key of them that may be absent and has no default; null: none
    const char* const* lists;  // keys of the file that are lists, null-terminated; null: none
    const char* product;       // how many dies that makes, in words of the keys; null: see the file
    uint64_t (*dies)(const chm_platform_shape* shape); // null with product
    chm_status (*build)(chm_topology* topology, const chm_build_request* request);
    bool two_classes; // needs an even number of virtual channels
} chm_platform_kind;

extern const chm_platform_kind chm_platform_kinds[];
extern const size_t chm_platform_kind_count;

// True if a file of this kind must say the key of its shape: no default, and not optional.
bool chm_platform_kind_needs(const chm_platform_kind* kind, const chm_key* key);

// Calls `visit` for each name among the keys of all shapes, once.
void chm_platform_each_shape_name(void (*visit)(const char* name, void* context), void* context);

// Null if there is none of that name.
const chm_platform_kind* chm_platform_kind_find(const char* name);
