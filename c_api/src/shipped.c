// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr, opendir

#include "c_api/src/shipped.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hw/base/text.h"

// What a library that was installed knows of a source tree: nothing.
#ifndef CHM_SOURCE_DIR
#define CHM_SOURCE_DIR "."
#endif

// The share/chimera of the prefix that this code was installed to: beside the folder of the command
// (bin) or of the library (lib, or lib/<architecture>); null if there is none.
static const char* installed(chm_arena* arena) {
    Dl_info here;
    char* folder = NULL;
    if (dladdr((const void*)(uintptr_t)&chm_shipped_names, &here) != 0 && here.dli_fname != NULL) {
        char* resolved = realpath(here.dli_fname, NULL);
        folder = resolved != NULL ? chm_arena_string(arena, resolved) : NULL;
        free(resolved);
    }
    for (int up = 0; up < 3 && folder != NULL; ++up) {
        char* slash = strrchr(folder, '/');
        if (slash == NULL) {
            return NULL;
        }
        *slash = '\0';
        struct stat entry;
        const char* share = up == 0 ? NULL : chm_arena_format(arena, "%s/share/chimera", folder);
        if (share != NULL && stat(share, &entry) == 0 && S_ISDIR(entry.st_mode)) {
            return share;
        }
    }
    return NULL;
}

// Where the folders of shipped files are.
static const char* root(chm_arena* arena) {
    const char* path = getenv("CHIMERA_PATH");
    if (path == NULL || path[0] == '\0') {
        path = installed(arena);
    }
    return path != NULL ? path : CHM_SOURCE_DIR;
}

static bool ends_with(const char* text, const char* end) {
    size_t length = strlen(text);
    size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int compare_names(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static chm_status collect(DIR* directory, chm_arena* arena, const char*** names, size_t* count) {
    void* items = NULL;
    size_t capacity = 0;
    *count = 0;
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || !ends_with(entry->d_name, ".yaml")) {
            continue;
        }
        char* name = chm_arena_string(arena, entry->d_name);
        if (name == NULL ||
            chm_arena_grow(arena, &items, &capacity, *count + 1, sizeof(char*)) != chm_ok) {
            return chm_no_memory;
        }
        name[length - strlen(".yaml")] = '\0';
        ((const char**)items)[(*count)++] = name;
    }
    *names = items;
    if (*count > 1) {
        qsort(items, *count, sizeof(char*), compare_names);
    }
    return chm_ok;
}

chm_status chm_shipped_names(const char* folder, chm_arena* arena, const char* const** names,
                             size_t* count, chm_diagnostics* diagnostics) {
    const char* path = chm_arena_format(arena, "%s/%s", root(arena), folder);
    if (path == NULL) {
        return chm_no_memory;
    }
    DIR* directory = opendir(path);
    if (directory == NULL) {
        chm_origin origin = {path, 0, 0};
        chm_diagnose(diagnostics, &origin, "cannot read the directory of shipped files: %s",
                     strerror(errno));
        return chm_io;
    }
    const char** found = NULL;
    chm_status status = collect(directory, arena, &found, count);
    closedir(directory);
    *names = found;
    return status;
}

static chm_status refuse_name(const char* what, const char* name, const char* const* names,
                              size_t count, chm_diagnostics* diagnostics) {
    chm_text allowed;
    chm_text_init(&allowed);
    for (size_t i = 0; i < count; ++i) {
        chm_text_format(&allowed, "%s, ", names[i]);
    }
    chm_origin origin = {what, 0, 0};
    chm_diagnose(diagnostics, &origin, "got '%s'; allowed: %sor the path of a YAML file", name,
                 chm_text_get(&allowed));
    chm_text_free(&allowed);
    return chm_bad_input;
}

chm_status chm_shipped_resolve(const char* folder, const char* what, const char* name_or_path,
                               chm_arena* arena, const char** path, chm_diagnostics* diagnostics) {
    if (strchr(name_or_path, '/') != NULL || ends_with(name_or_path, ".yaml")) {
        *path = name_or_path;
        return chm_ok;
    }
    const char* const* names = NULL;
    size_t count = 0;
    chm_status status = chm_shipped_names(folder, arena, &names, &count, diagnostics);
    if (status != chm_ok) {
        return status;
    }
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(names[i], name_or_path) == 0) {
            *path = chm_arena_format(arena, "%s/%s/%s.yaml", root(arena), folder, names[i]);
            return *path != NULL ? chm_ok : chm_no_memory;
        }
    }
    return refuse_name(what, name_or_path, names, count, diagnostics);
}
