// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

static const struct argp_option all_options[] = {
    {"engine", 'e', "on|off", 0, "Fusion engine (default: on)", 0},
    {"data", 'd', NULL, 0, "Carry real bytes and compare every result", 0},
    {"stall", 't', "P", 0, "Stall every port and queue at random with probability P", 0},
    {"seed", 'n', "N", 0, "Seed of everything random (default: 1)", 0},
    {"set", 's', "KEY=VALUE", 0, "Change a platform, hardware or program key (repeatable)", 0},
    {"fail", 'F', "WHAT@CYCLE", 0,
     "From this cycle on a link or die has failed: link:router_0_0-router_1_0@5000, "
     "die:die_2_1@5000 (repeatable)",
     0},
    {"stats", 'o', "FILE", 0, "Write statistics of every die to FILE (JSON)", 0},
    {"record", 'k', "GRAPH.csv", 0, "Write the messages of the run as a graph to replay", 0},
    {"json", 'j', NULL, 0, "Write one JSON object", 0},
    {"vcd", 'v', "FILE", 0,
     "Write a value change dump, and beside it a layout for GTKWave; compare writes FILE.off and "
     "FILE.on, before the extension",
     0},
    {"timeline", 'T', "FILE", 0, "Write a timeline that Perfetto and Chrome show (JSON)", 0},
    {"packet-log", 'P', "FILE", 0, "Write a line for each packet and hop (CSV)", 0},
    {"vcd-scope", 'S', "SCOPE", 0,
     "Of these files only this die, router or part of one (repeatable)", 0},
    {"vcd-window", 'W', "A:B", 0,
     "Of these files only from A to B: picoseconds, or cycles with the suffix c", 0},
    {"fidelity", 'f', "at|lt", 0,
     "Network approximately timed (default; size: at the knees only) or loosely timed: faster, "
     "with "
     "the stated error",
     0},
    {"platform", 'p', "PLATFORM", 0, "Platform (default: mesh_5x5)", 0},
    {"pairs", 'a', NULL, 0, "All ordered pairs of collectives instead of a program", 0},
    {"pattern", 'w', "NAME", 0,
     "uniform, transpose, bitcomplement, tornado, shuffle, hotspot or neighbour (default: uniform)",
     0},
    {"rate", 'r', "FLITS", 0,
     "Flits per die per cycle offered, 0 to 1 (default: 0.1); A:B:N for N rates from A to B", 0},
    {"packets", 'c', "N", 0, "Measure for about N packets per die instead of --measure", 0},
    {"packet-bytes", 'b', "BYTES", 0, "Payload of a packet (default: 256)", 0},
    {"warm-up", 'u', "CYCLES", 0, "Before anything is counted (default: 16000)", 0},
    {"drain", 'x', "CYCLES", 0,
     "At most so long after that, for packets to arrive (default: 100000)", 0},
    {"parameter", 'q', "KEY[=A:B:STEPS]", 0,
     "Vary this key only, from A to B if given (repeatable; default: those of docs/sizing.md)", 0},
    {"plot", 'g', "NAME", 0, "Write NAME.dat and NAME.gp; gnuplot draws NAME.svg if it is there",
     0},
    {"jobs", 'J', "N", 0, "Processes that measure at the same time, 1 .. 64 (default: 1)", 0},
    {"measure", 'm', "CYCLES", 0, "In which packets are counted (default: 10000)", 0},
};

enum { option_count = sizeof all_options / sizeof all_options[0] };

typedef struct parse_state {
    const subcommand* command;
    command_line* out;
} parse_state;

static void parse_engine(struct argp_state* state, const char* text, chm_run_options* options) {
    if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0) {
        argp_error(state, "--engine: got '%s'; allowed: on, off", text);
    }
    options->engine = strcmp(text, "on") == 0;
}

static void parse_stall(struct argp_state* state, const char* text, chm_run_options* options) {
    char* end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0 && value < 1)) {
        argp_error(state, "--stall: got '%s'; allowed: number 0 .. 1, 1 excluded", text);
    }
    options->stall_probability = value;
}

static void parse_seed(struct argp_state* state, const char* text, chm_run_options* options) {
    char* end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        argp_error(state, "--seed: got '%s'; allowed: integer 0 .. 18446744073709551615", text);
    }
    options->seed = value;
}

static uint64_t parse_count(struct argp_state* state, const char* option, const char* text,
                            uint64_t most) {
    char* end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > most) {
        argp_error(state, "%s: got '%s'; allowed: integer 0 .. %llu", option, text,
                   (unsigned long long)most);
    }
    return value;
}

// A rate, or A:B:N.
static void parse_rate(struct argp_state* state, const char* text, command_line* out) {
    char* end = NULL;
    out->load.rate = strtod(text, &end);
    bool valid = end != text && out->load.rate > 0 && out->load.rate <= 1;
    if (valid && *end == ':') {
        const char* last = end + 1;
        out->load_last_rate = strtod(last, &end);
        valid = end != last && out->load_last_rate > out->load.rate && out->load_last_rate <= 1 &&
                *end == ':' && end[1] >= '0' && end[1] <= '9';
        unsigned long count = valid ? strtoul(end + 1, &end, 10) : 0;
        valid = valid && count >= 2 && count <= 1000;
        out->load_rates = (uint32_t)count;
    }
    if (!valid || *end != '\0') {
        argp_error(
            state,
            "--rate: got '%s'; allowed: number above 0, at most 1; or A:B:N, 2 .. 1000 rates "
            "from A up to B",
            text);
    }
}

static error_t parse_option(int key, char* text, struct argp_state* state) {
    parse_state* parse = state->input;
    command_line* out = parse->out;
    switch (key) {
    case 'e':
        out->engine_given = true;
        parse_engine(state, text, &out->options);
        return 0;
    case 'd':
        out->data_given = true;
        out->options.data = 1;
        return 0;
    case 't':
        out->stall_given = true;
        parse_stall(state, text, &out->options);
        return 0;
    case 'n':
        out->seed_given = true;
        parse_seed(state, text, &out->options);
        return 0;
    case 's':
        if (chm_settings_parse(out->settings, text) != chm_ok) {
            argp_error(state, "%s", chm_last_error());
        }
        out->fidelity = strncmp(text, "fidelity=", 9) == 0 ? text + 9 : out->fidelity;
        return 0;
    case 'f':
        out->fidelity = text;
        if (chm_settings_set(out->settings, "fidelity", text) != chm_ok) {
            argp_error(state, "%s", chm_last_error());
        }
        return 0;
    case 'o': out->stats_path = text; return 0;
    case 'v': out->trace.vcd = text; return 0;
    case 'T': out->trace.timeline = text; return 0;
    case 'P': out->trace.packet_log = text; return 0;
    case 'S': out->scopes[out->trace.scope_count++] = text; return 0;
    case 'F': out->failures[out->options.failure_count++] = text; return 0;
    case 'W': out->trace.window = text; return 0;
    case 'q': out->parameters[out->parameter_count++] = text; return 0;
    case 'g': out->plot = text; return 0;
    case 'J':
        out->jobs = (uint32_t)parse_count(state, "--jobs", text, 64);
        if (out->jobs == 0) {
            argp_error(state, "--jobs: got '0'; allowed: integer 1 .. 64");
        }
        return 0;
    case 'k': out->options.record = text; return 0;
    case 'j': out->json = true; return 0;
    case 'p': out->platform = text; return 0;
    case 'a': out->pairs = true; return 0;
    case 'w': out->load.pattern = text; return 0;
    case 'r': parse_rate(state, text, out); return 0;
    case 'c': out->load_packets = parse_count(state, "--packets", text, 1000000000); return 0;
    case 'b':
        out->load.packet_bytes = (uint32_t)parse_count(state, "--packet-bytes", text, 65536);
        return 0;
    case 'u':
        out->load.warm_up_cycles = parse_count(state, "--warm-up", text, 1000000000000);
        return 0;
    case 'x': out->load.drain_cycles = parse_count(state, "--drain", text, 1000000000000); return 0;
    case 'm':
        out->load.measure_cycles = parse_count(state, "--measure", text, 1000000000000);
        return 0;
    case ARGP_KEY_ARGS:
        out->positional = state->argv + state->next;
        out->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END: {
        int minimum = out->pairs ? 0 : parse->command->positional_min;
        int maximum = out->pairs ? 0 : parse->command->positional_max;
        if (out->count < minimum || out->count > maximum) {
            argp_error(state, "got %d arguments; needed: %s", out->count,
                       out->pairs ? "none with --pairs" : parse->command->usage);
        }
        return 0;
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

int chm_command_line_parse(const subcommand* command, int argc, char** argv, command_line* out) {
    memset(out, 0, sizeof *out);
    out->options = (chm_run_options)CHM_RUN_OPTIONS_INIT;
    out->load = (chm_load_options)CHM_LOAD_OPTIONS_INIT;
    out->trace = (chm_trace_options)CHM_TRACE_OPTIONS_INIT;
    out->scopes = calloc((size_t)argc, sizeof *out->scopes); // no more than there are arguments
    out->trace.scopes = out->scopes;
    out->failures = calloc((size_t)argc, sizeof *out->failures);
    out->options.failures = out->failures;
    out->jobs = 1;
    out->parameters = calloc((size_t)argc, sizeof *out->parameters);
    if (out->scopes == NULL || out->failures == NULL || out->parameters == NULL ||
        chm_settings_create(&out->settings) != chm_ok) {
        return chm_fail("chimera", chm_no_memory);
    }
    struct argp_option options[option_count + 1];
    memset(options, 0, sizeof options);
    size_t count = 0;
    for (size_t i = 0; i < option_count; ++i) {
        if (strchr(command->options, all_options[i].key) != NULL) {
            options[count++] = all_options[i];
        }
    }
    struct argp parser = {options, parse_option, command->usage, command->about, NULL, NULL, NULL};
    parse_state state = {command, out};
    argp_err_exit_status = chm_exit_usage;
    char name[64];
    snprintf(name, sizeof name, "chimera %s", command->name);
    argv[1] = name; // what argp calls the program in its messages
    argp_parse(&parser, argc - 1, argv + 1, 0, NULL, &state);
    argv[1] = (char*)command->name;
    return 0;
}

void chm_command_line_free(command_line* out) {
    chm_settings_free(out->settings);
    free(out->scopes);
    free(out->failures);
    free(out->parameters);
}
