// SPDX-License-Identifier: Apache-2.0
#include "traces/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hw/base/text.h"
#include "traces/graph_reader.h"

enum {
    fields = 7,
    longest_line = 1 << 24,
    most_lines = 1 << 30, // node indices are 32 bits
    shown_characters = 40
};

static const char header[] = CHM_GRAPH_HEADER;

void chm_graph_fault(chm_graph_reader* in, uint32_t line, uint32_t column, const char* format,
                     ...) {
    if (in->faults++ < chm_graph_most_faults) {
        chm_origin origin = {in->path, line, column};
        va_list arguments;
        va_start(arguments, format);
        chm_diagnose_v(in->diagnostics, &origin, format, arguments);
        va_end(arguments);
    }
}

typedef struct slice {
    const char* text;
    size_t length;
    uint32_t column; // from 1
} slice;

// A value as it may stand in a message.
typedef struct shown {
    char text[shown_characters + 4];
} shown;

static shown show(slice value) {
    shown result;
    size_t length = value.length < shown_characters ? value.length : shown_characters;
    for (size_t i = 0; i < length; ++i) {
        char c = value.text[i];
        result.text[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    strcpy(result.text + length, value.length > length ? "..." : "");
    return result;
}

// Plain decimal digits, as other tools write them.
static bool parse(slice value, uint64_t maximum, uint64_t* result) {
    uint64_t sum = 0;
    for (size_t i = 0; i < value.length; ++i) {
        uint64_t digit = (uint64_t)(value.text[i] - '0');
        if (value.text[i] < '0' || value.text[i] > '9' || digit > maximum ||
            sum > (maximum - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *result = sum;
    return value.length > 0;
}

static uint64_t read_number(chm_graph_reader* in, uint32_t line, const char* key, slice value,
                            uint64_t maximum) {
    uint64_t number = 0;
    if (!parse(value, maximum, &number)) {
        chm_graph_fault(in, line, value.column,
                        "key '%s': got '%s'; allowed: integer 0 .. %" PRIu64, key, show(value).text,
                        maximum);
    }
    return number;
}

static void read_empty(chm_graph_reader* in, uint32_t line, const char* key, slice value,
                       const char* kind) {
    if (value.length != 0) {
        chm_graph_fault(in, line, value.column, "key '%s': got '%s'; allowed in a %s: nothing", key,
                        show(value).text, kind);
    }
}

static chm_status read_after(chm_graph_reader* in, uint32_t line, slice value) {
    size_t count = 0;
    for (size_t at = 0; at < value.length;) {
        slice id = {value.text + at, 0, value.column + (uint32_t)at};
        while (at + id.length < value.length && id.text[id.length] != ' ') {
            id.length++;
        }
        at += id.length + 1;
        if (id.length == 0) {
            continue; // several spaces
        }
        chm_graph_named named = {read_number(in, line, "after", id, UINT64_MAX), id.column};
        if (chm_graph_name(in, count++, named) != chm_ok) {
            return chm_no_memory;
        }
    }
    return chm_graph_add_after(in, line, count);
}

// Splits at commas; returns how many fields there are, of which at most `fields` are kept.
static uint32_t split(const char* text, size_t length, slice result[fields]) {
    uint32_t count = 0;
    for (size_t begin = 0; begin <= length; ++count) {
        size_t end = begin;
        while (end < length && text[end] != ',') {
            end++;
        }
        if (count < fields) {
            result[count] = (slice){text + begin, end - begin, (uint32_t)begin + 1};
        }
        begin = end + 1;
    }
    return count;
}

static bool equals(slice value, const char* text) {
    return value.length == strlen(text) && memcmp(value.text, text, value.length) == 0;
}

static void read_kind(chm_graph_reader* in, uint32_t line, const slice f[fields],
                      chm_graph_node* node) {
    node->die = (uint32_t)read_number(in, line, "die", f[2], in->dies - 1);
    if (equals(f[1], "send")) {
        node->kind = chm_graph_send;
        node->destination = (uint32_t)read_number(in, line, "destination", f[3], in->dies - 1);
        node->bytes = read_number(in, line, "bytes", f[4], CHM_GRAPH_MAX_BYTES);
        read_empty(in, line, "cycles", f[5], "send");
    } else if (equals(f[1], "compute")) {
        node->kind = chm_graph_compute;
        read_empty(in, line, "destination", f[3], "compute");
        read_empty(in, line, "bytes", f[4], "compute");
        node->cycles = read_number(in, line, "cycles", f[5], CHM_GRAPH_MAX_CYCLES);
    } else {
        chm_graph_fault(in, line, f[1].column, "key 'kind': got '%s'; allowed: send, compute",
                        show(f[1]).text);
    }
}

static chm_status read_record(chm_graph_reader* in, uint32_t line, const char* text,
                              size_t length) {
    slice f[fields];
    uint32_t count = split(text, length, f);
    if (count != fields) {
        chm_graph_fault(in, line, 1, "got %" PRIu32 " fields; allowed: 7, %s", count, header);
        return chm_ok;
    }
    chm_graph_node node = {0};
    uint64_t id = read_number(in, line, "id", f[0], UINT64_MAX);
    read_kind(in, line, f, &node);
    chm_status status = read_after(in, line, f[6]);
    return status == chm_ok ? chm_graph_add_node(in, line, id, &node) : status;
}

// One line without its end ("\n" or "\r\n"); the byte order mark that some spreadsheets write is
// dropped.
static chm_status read_line(chm_graph_reader* in, uint32_t line, const char* text, size_t length) {
    if (length > 0 && text[length - 1] == '\r') {
        length--;
    }
    if (line == 1) {
        if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
            text += 3;
            length -= 3;
        }
        if (!equals((slice){text, length, 1}, header)) {
            chm_graph_fault(in, line, 1, "got header '%s'; allowed: %s",
                            show((slice){text, length, 1}).text, header);
        }
        return chm_ok;
    }
    return length == 0 ? chm_ok : read_record(in, line, text, length);
}

static chm_status read_lines(chm_graph_reader* in, FILE* file, chm_text* line) {
    char buffer[65536];
    uint32_t number = 1;
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) != 0) {
        for (size_t at = 0; at < got;) {
            const char* newline = memchr(buffer + at, '\n', got - at);
            size_t length = newline != NULL ? (size_t)(newline - buffer) - at : got - at;
            chm_text_append(line, buffer + at, length);
            at += length;
            if (line->length > longest_line || number > most_lines) {
                chm_graph_fault(in, number, 1, "too long; allowed: %d bytes a line, %d lines",
                                longest_line, most_lines);
                return chm_ok;
            }
            if (newline == NULL) {
                continue;
            }
            at++;
            chm_status status = chm_text_status(line);
            if (status == chm_ok) {
                status = read_line(in, number++, chm_text_get(line), line->length);
            }
            line->length = 0;
            if (status != chm_ok || in->faults > chm_graph_most_faults) {
                return status;
            }
        }
    }
    if (ferror(file)) {
        chm_graph_fault(in, 0, 0, "cannot read: %s", strerror(errno));
        return chm_io;
    }
    // The last line may lack its end; a file without a line lacks its header.
    if (chm_text_status(line) != chm_ok) {
        return chm_no_memory;
    }
    return line->length != 0 || number == 1
               ? read_line(in, number, chm_text_get(line), line->length)
               : chm_ok;
}

static chm_status read_file(chm_graph_reader* in) {
    FILE* file = fopen(in->path, "rb");
    if (file == NULL) {
        chm_graph_fault(in, 0, 0, "cannot read: %s", strerror(errno));
        return chm_io;
    }
    chm_text line;
    chm_text_init(&line);
    chm_status status = read_lines(in, file, &line);
    chm_text_free(&line);
    fclose(file);
    return status;
}

chm_status chm_graph_read(const char* path, uint32_t dies, chm_arena* arena, chm_graph* graph,
                          const uint64_t** ids, chm_diagnostics* diagnostics) {
    if (path == NULL || dies == 0) {
        return chm_bad_argument;
    }
    chm_graph_reader in = {
        .path = path, .dies = dies, .diagnostics = diagnostics, .ascending = true};
    chm_status status = read_file(&in);
    // Ids mean something only if they could be read.
    if (status == chm_ok && in.faults == 0) {
        status = chm_graph_link(&in, arena, graph);
        if (ids != NULL) {
            *ids = graph->ids;
        }
    }
    if (in.faults > chm_graph_most_faults) {
        chm_origin origin = {path, 0, 0};
        chm_diagnose(diagnostics, &origin, "more than %d faults", chm_graph_most_faults);
    }
    chm_graph_reader_free(&in);
    return status == chm_ok && in.faults != 0 ? chm_bad_input : status;
}
