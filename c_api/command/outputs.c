// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // access, stat, strdup

#include "outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_outputs = 8 };

typedef struct output {
    const char* option;
    const char* path;
} output;

bool chm_traces(const chm_trace_options* trace) {
    return trace->vcd != NULL || trace->timeline != NULL || trace->packet_log != NULL;
}

int chm_cannot_write(const char* option, const char* path) {
    fprintf(stderr, "%s %s: %s\n", option, path, strerror(errno));
    return chm_exit_usage;
}

static char* with_side(const char* path, const char* side) {
    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    const char* dot = strrchr(name, '.');
    size_t stem = dot != NULL && dot != name ? (size_t)(dot - path) : strlen(path);
    size_t size = strlen(path) + strlen(side) + 2;
    char* made = malloc(size);
    if (made != NULL) {
        snprintf(made, size, "%.*s.%s%s", (int)stem, path, side, path + stem);
    }
    return made;
}

static bool make_side(const chm_trace_options* trace, const char* side, trace_side* out) {
    const char** paths[] = {&out->options.vcd, &out->options.timeline, &out->options.packet_log};
    memset(out, 0, sizeof *out);
    out->options = *trace;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        if (*paths[i] != NULL) {
            *paths[i] = out->names[i] = with_side(*paths[i], side);
            if (out->names[i] == NULL) {
                chm_trace_side_free(out);
                return false;
            }
        }
    }
    return true;
}

bool chm_trace_sides(const chm_trace_options* trace, trace_side* off, trace_side* on) {
    if (!make_side(trace, "off", off)) {
        return false;
    }
    if (!make_side(trace, "on", on)) {
        chm_trace_side_free(off);
        return false;
    }
    return true;
}

void chm_trace_side_free(trace_side* side) {
    for (size_t i = 0; i < sizeof side->names / sizeof side->names[0]; ++i) {
        free(side->names[i]);
    }
}

static bool same_file(const struct stat* file, const char* path) {
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

// Whether the directory of a file that is not there yet can take it.
static bool can_create(const char* path) {
    const char* slash = strrchr(path, '/');
    char directory[4096] = ".";
    if (slash != NULL) {
        size_t length = slash == path ? 1 : (size_t)(slash - path);
        if (length >= sizeof directory || slash[1] == '\0') {
            errno = slash[1] == '\0' ? EISDIR : ENAMETOOLONG;
            return false;
        }
        memcpy(directory, path, length);
        directory[length] = '\0';
    }
    return path[0] != '\0' ? access(directory, W_OK | X_OK) == 0 : (errno = ENOENT, false);
}

int chm_check_output(const command_line* line, const char* option, const char* path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT && can_create(path) ? 0 : chm_cannot_write(option, path);
    }
    for (int i = 0; i < line->count; ++i) {
        if (same_file(&info, line->positional[i])) {
            fprintf(stderr, "%s %s: it is the input; allowed: another file\n", option, path);
            return chm_exit_usage;
        }
    }
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return chm_cannot_write(option, path);
    }
    return access(path, W_OK) == 0 ? 0 : chm_cannot_write(option, path);
}

static bool same_output(const output* a, const output* b) {
    struct stat info;
    return strcmp(a->path, b->path) == 0 ||
           (stat(a->path, &info) == 0 && same_file(&info, b->path));
}

static size_t add(output* outputs, size_t count, const char* option, const char* path) {
    if (path != NULL) {
        outputs[count++] = (output){option, path};
    }
    return count;
}

static size_t add_trace(output* outputs, size_t count, const chm_trace_options* trace) {
    if (trace != NULL) {
        count = add(outputs, count, "--vcd", trace->vcd);
        count = add(outputs, count, "--timeline", trace->timeline);
        count = add(outputs, count, "--packet-log", trace->packet_log);
    }
    return count;
}

int chm_check_outputs(const command_line* line, const chm_trace_options* trace,
                      const chm_trace_options* other) {
    output outputs[most_outputs];
    size_t count = add(outputs, 0, "--stats", line->stats_path);
    count = add(outputs, count, "--record", line->options.record);
    count = add_trace(outputs, count, trace);
    count = add_trace(outputs, count, other);
    if (trace != NULL && !chm_traces(trace) && (trace->scope_count != 0 || trace->window != NULL)) {
        fprintf(stderr, "--vcd-scope and --vcd-window: of what? needed: --vcd, --timeline or "
                        "--packet-log\n");
        return chm_exit_usage;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < i; ++k) {
            if (same_output(&outputs[k], &outputs[i])) {
                fprintf(stderr, "%s %s: %s goes there; allowed: another file\n", outputs[i].option,
                        outputs[i].path, outputs[k].option);
                return chm_exit_usage;
            }
        }
        int result = chm_check_output(line, outputs[i].option, outputs[i].path);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}
