// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // access, readlink, realpath, stat

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

// "DIRECTORY/NAME" in which the directory is that of `path`.
static char* beside(const char* path, const char* name) {
    const char* slash = strrchr(path, '/');
    size_t length = slash != NULL && name[0] != '/' ? (size_t)(slash + 1 - path) : 0;
    char* made = malloc(length + strlen(name) + 1);
    if (made != NULL) {
        memcpy(made, path, length);
        strcpy(made + length, name);
    }
    return made;
}

// The one name of the file that a path leads to, also where that is not there yet; null if it
// leads nowhere. The caller frees it.
static char* place_of(const char* path, int links) {
    char* real = realpath(path, NULL);
    if (real != NULL || errno != ENOENT) {
        return real;
    }
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0 && links > 0) { // a link to a file that is not there
        target[length] = '\0';
        char* next = beside(path, target);
        real = next != NULL ? place_of(next, links - 1) : NULL;
        free(next);
        return real;
    }
    char* directory = beside(path, ".");
    char* there = directory != NULL ? realpath(directory, NULL) : NULL;
    const char* slash = strrchr(path, '/');
    if (there != NULL) {
        char* in = malloc(strlen(there) + 2);
        if (in != NULL) {
            strcat(strcpy(in, there), "/");
            real = beside(in, slash != NULL ? slash + 1 : path);
        }
        free(in);
    }
    free(there);
    free(directory);
    return real;
}

static bool ends_in(const char* text, const char* end) {
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

// "run.gtkw" and "run.state.enum" come beside "run.vcd".
static bool comes_beside(const char* vcd, const char* other) {
    size_t stem = strlen(vcd) - (ends_in(vcd, ".vcd") ? strlen(".vcd") : 0);
    return strncmp(vcd, other, stem) == 0 && other[stem] == '.' &&
           (strcmp(other + stem, ".gtkw") == 0 || ends_in(other, ".enum"));
}

static bool clash(const output* a, const output* b) {
    struct stat info;
    if (stat(a->path, &info) == 0 && same_file(&info, b->path)) {
        return true;
    }
    enum { most_links = 8 };
    char* first = place_of(a->path, most_links);
    char* second = place_of(b->path, most_links);
    bool vcd = strcmp(a->option, "--vcd") == 0;
    bool other_vcd = strcmp(b->option, "--vcd") == 0;
    bool same = first != NULL && second != NULL &&
                (strcmp(first, second) == 0 || (vcd && comes_beside(first, second)) ||
                 (other_vcd && comes_beside(second, first)));
    free(first);
    free(second);
    return same;
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
            if (clash(&outputs[k], &outputs[i])) {
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
