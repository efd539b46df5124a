// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "c_api/include/chimera.h"
#include "c_api/src/error.h"
#include "hw/base/yaml.h"
#include "platforms/platform.h"
#include "traces/graph.h"
#include "traces/program.h"

// A YAML file is a platform if it has the key that every platform needs.
static chm_status is_platform(const char* path, bool* platform, chm_diagnostics* diagnostics) {
    chm_arena arena;
    chm_arena_init(&arena);
    const chm_yaml_node* root = NULL;
    chm_status status = chm_yaml_read_file(path, &arena, &root, diagnostics);
    *platform = status == chm_ok && chm_yaml_get(root, "platform") != NULL;
    chm_arena_free(&arena);
    return status;
}

static chm_status validate_yaml(const char* path, const char** kind, chm_diagnostics* diagnostics) {
    bool platform = false;
    chm_status status = is_platform(path, &platform, diagnostics);
    if (status != chm_ok) {
        return status;
    }
    if (!platform) {
        *kind = "program";
        return chm_program_validate(path, diagnostics);
    }
    *kind = "platform";
    chm_platform_description* description = NULL;
    status = chm_platform_read(path, NULL, 0, &description, diagnostics);
    chm_platform_free(description);
    return status;
}

// Without a platform any die goes.
static chm_status validate_graph(const char* path, const char** kind,
                                 chm_diagnostics* diagnostics) {
    chm_arena arena;
    chm_arena_init(&arena);
    chm_graph graph;
    chm_status status = chm_graph_read(path, UINT32_MAX, &arena, &graph, NULL, diagnostics);
    chm_arena_free(&arena);
    *kind = "graph";
    return status;
}

static bool is_csv(const char* path) {
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".csv") == 0;
}

chm_status chm_validate(const char* path, const char** kind) {
    if (path == NULL) {
        return chm_error_set(chm_bad_argument, "argument path: null");
    }
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const char* found = "";
    chm_status status = is_csv(path) ? validate_graph(path, &found, &diagnostics)
                                     : validate_yaml(path, &found, &diagnostics);
    if (status == chm_ok && kind != NULL) {
        *kind = found;
    }
    return chm_error_take(status, &diagnostics);
}
