// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // access, lstat, realpath

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/graph.h"

struct chm_graph_file {
    char* path;
    char* part_path; // written here, then renamed; not where `direct`
    FILE* part;
    bool direct; // a device or pipe: a file in its place would not be what was asked for
};

static chm_status cannot_write(const char* path, chm_diagnostics* diagnostics) {
    chm_origin origin = {path, 0, 0};
    chm_diagnose(diagnostics, &origin, "cannot write: %s", strerror(errno));
    return chm_io;
}

static char* join(const char* first, const char* second) {
    char* text = malloc(strlen(first) + strlen(second) + 1);
    if (text != NULL) {
        strcat(strcpy(text, first), second);
    }
    return text;
}

// What is there and cannot be replaced, a directory for instance, is found without touching it:
// opening a pipe would be heard at its other end.
static bool can_replace(const char* path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT;
    }
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, W_OK) == 0;
}

// Follows links: what they lead to is replaced, not they.
static bool find_file(chm_graph_file* file, const char* path) {
    struct stat info;
    char* real = realpath(path, NULL);
    file->path = real != NULL ? real : join(path, "");
    file->direct = file->path != NULL && lstat(file->path, &info) == 0 && !S_ISREG(info.st_mode);
    file->part_path = file->path != NULL ? join(file->path, ".part") : NULL;
    return file->part_path != NULL;
}

chm_status chm_graph_file_create(chm_graph_file** file, const char* path,
                                 chm_diagnostics* diagnostics) {
    if (!can_replace(path)) {
        return cannot_write(path, diagnostics);
    }
    chm_graph_file* made = calloc(1, sizeof *made);
    if (made == NULL || !find_file(made, path)) {
        chm_graph_file_discard(made);
        return chm_no_memory;
    }
    made->part = made->direct ? NULL : fopen(made->part_path, "wb");
    if (!made->direct && made->part == NULL) {
        chm_status status = cannot_write(made->part_path, diagnostics);
        chm_graph_file_discard(made);
        return status;
    }
    *file = made;
    return chm_ok;
}

void chm_graph_file_discard(chm_graph_file* file) {
    if (file == NULL) {
        return;
    }
    if (file->part != NULL) {
        fclose(file->part);
    }
    if (file->part != NULL && !file->direct) {
        remove(file->part_path);
    }
    free(file->path);
    free(file->part_path);
    free(file);
}

static uint64_t id_of(const chm_graph* graph, uint32_t node) {
    return graph->ids != NULL ? graph->ids[node] : node;
}

static void write_node(FILE* file, const chm_graph* graph, uint32_t n) {
    const chm_graph_node* node = &graph->nodes[n];
    fprintf(file, "%" PRIu64 ",", id_of(graph, n));
    if (node->kind == chm_graph_send) {
        fprintf(file, "send,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",,", node->die, node->destination,
                node->bytes);
    } else {
        fprintf(file, "compute,%" PRIu32 ",,,%" PRIu64 ",", node->die, node->cycles);
    }
    for (uint64_t i = graph->first_after[n]; i < graph->first_after[n + 1]; ++i) {
        fprintf(file, "%s%" PRIu64, i == graph->first_after[n] ? "" : " ",
                id_of(graph, graph->after[i]));
    }
    putc('\n', file);
}

static bool write_all(FILE* file, const chm_graph* graph) {
    fputs(CHM_GRAPH_HEADER "\n", file);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        write_node(file, graph, n);
    }
    bool written = fflush(file) == 0 && ferror(file) == 0;
    return fclose(file) == 0 && written;
}

chm_status chm_graph_file_commit(chm_graph_file* file, const chm_graph* graph,
                                 chm_diagnostics* diagnostics) {
    FILE* part = file->direct ? fopen(file->path, "wb") : file->part;
    bool written = part != NULL && write_all(part, graph);
    file->part = NULL;
    chm_status status = chm_ok;
    if (!written || (!file->direct && rename(file->part_path, file->path) != 0)) {
        status = cannot_write(file->path, diagnostics);
    }
    if (status != chm_ok && !file->direct) {
        remove(file->part_path);
    }
    chm_graph_file_discard(file);
    return status;
}
