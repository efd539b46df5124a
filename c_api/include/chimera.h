// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hw/base/status.h"

// The C interface of the model. Everything the chimera command does, it does through this header.
//
// - Every function that can fail returns a chm_status; results come through out-parameters, which
//   are written only on success. chm_last_error() then has the whole message.
// - Handles are opaque. What a function creates, its _free releases (null is allowed). Texts that a
//   report or handle returns live as long as it does.
// - Structs that the caller fills or receives start with struct_size = sizeof(the struct), so that
//   they can grow; the *_INIT macros set it together with the defaults.
// - Time is simulated time in picoseconds.
// - No function throws, aborts, exits or prints. Several simulations can be alive at once. One
//   handle is used by one thread at a time; handles may be used from different threads, which then
//   take turns, since the SystemC kernel runs one simulation at a time.

#ifdef __cplusplus
extern "C" {
#endif

// The library's version, "0.1.0". Static storage.
const char* chm_version(void);

// The full diagnostic of the last call on this thread that failed: one message per line, each with
// its origin (file:line:column, --set KEY, argument), key, value and what is allowed. "" if none
// failed. Valid until the next failing call on this thread.
const char* chm_last_error(void);

// ---- Settings: KEY=VALUE pairs that change platforms, hardware parameters and programs ----------

typedef struct chm_settings chm_settings;

chm_status chm_settings_create(chm_settings** settings);
void chm_settings_free(chm_settings* settings);

// Adds a pair; the last one of a key wins. Keys and values are checked by whoever uses them.
chm_status chm_settings_set(chm_settings* settings, const char* key, const char* value);

// The same from "key=value".
chm_status chm_settings_parse(chm_settings* settings, const char* pair);

// The same pairs again, to be changed apart from the first.
chm_status chm_settings_copy(chm_settings** copy, const chm_settings* settings);

// ---- Platforms and programs
// ----------------------------------------------------------------------

// How dies are wired, and the parameters of their hardware.
typedef struct chm_platform_description chm_platform;

// Reads the platform of a shipped file's name ("mesh_5x5") or of a path (contains '/' or ends with
// .yaml), and applies the settings (may be null). Shipped files are looked up in the directory that
// the environment variable CHIMERA_PATH names, else where the library is installed
// (share/chimera of its prefix), else in the source tree that it was built from.
chm_status chm_platform_load(chm_platform** platform, const char* name_or_path,
                             const chm_settings* settings);
void chm_platform_free(chm_platform* platform);

const char* chm_platform_name(const chm_platform* platform);
uint32_t chm_platform_dies(const chm_platform* platform);
uint64_t chm_platform_clock_khz(const chm_platform* platform);

typedef struct chm_report chm_report; // see Reports below

// What a platform allows and few would want, in words for people; an empty text if there is
// nothing. At present: a user's graph whose routes may lock, with a circle of channels that wait
// for each other. It takes as long as following all routes. A report to be freed.
chm_status chm_platform_warnings(chm_report** report, const chm_platform* platform);

typedef enum chm_parameter_type {
    chm_parameter_integer = 0,
    chm_parameter_number,
    chm_parameter_switch, // 0: off, 1: on
    chm_parameter_choice  // 0: the first
} chm_parameter_type;

// One key of the hardware (docs/parameters.md): what it means, what it allows, and what a platform
// says. Integers up to 2^53 are exact.
typedef struct chm_parameter {
    size_t struct_size;
    const char* name; // this and the texts below: static storage
    const char* block;
    const char* unit; // "cycles"; "" if none
    const char* meaning;
    chm_parameter_type type;
    double minimum, maximum; // inclusive
    double default_value;    // of a platform that does not say
    double value;            // of this platform
} chm_parameter;

#define CHM_PARAMETER_INIT                                                                         \
    { .struct_size = sizeof(chm_parameter) }

// A hardware key of a platform as it was loaded, settings included. chm_bad_argument for a name
// that is none; keys of a platform's shape (columns, switches) and of programs are not meant.
chm_status chm_platform_parameter(const chm_platform* platform, const char* key,
                                  chm_parameter* parameter);

// How far from fidelity at the cycles of a program that is run on this platform were measured to be
// (docs/fidelity.md); all 0 with fidelity at.
typedef struct chm_fidelity_error {
    size_t struct_size;
    uint32_t loosely_timed; // 1: fidelity lt
    uint32_t as_measured;   // 1: with the lt_ parameters of the measurement
    double median_percent, worst_percent;
    double one_seed_percent; // worst of one seed, where ways are taken at random
} chm_fidelity_error;

#define CHM_FIDELITY_ERROR_INIT                                                                    \
    { .struct_size = sizeof(chm_fidelity_error) }

chm_status chm_platform_fidelity(const chm_platform* platform, chm_fidelity_error* error);

// One common list of operations, placed on a platform.
typedef struct chm_program chm_program;

// Reads a program (name or path as above) and places its groups on the platform. Of the settings
// (may be null) the keys message_bytes and skew are used. `seed` is that of the routing's skew.
chm_status chm_program_load(chm_program** program, const chm_platform* platform,
                            const char* name_or_path, const chm_settings* settings, uint64_t seed);
void chm_program_free(chm_program* program);

const char* chm_program_name(const chm_program* program);
uint64_t chm_program_message_bytes(const chm_program* program);

// ---- Simulations
// ---------------------------------------------------------------------------------

// A message for people about a running simulation; `text` lives during the call only. The callback
// must not call the library with the same handle.
typedef void (*chm_log_callback)(void* user, const char* text);

// What the machine does over time, written to files while it runs (docs/tracing.md). All are cut to
// the scopes and the window. Tracing changes nothing in the run.
typedef struct chm_trace_options {
    size_t struct_size;
    const char* vcd; // value change dump; beside it, named like it, a layout for GTKWave (.gtkw)
                     // and the names of states, operations and dies (.*.enum); may be null, as all
    const char* timeline;      // trace events as Chrome and Perfetto read them (JSON)
    const char* packet_log;    // a line per packet and hop (CSV)
    const char* const* scopes; // [scope_count] "die_0_0", "die_0_0.engine", "router_0_0"; what is
    size_t scope_count;        // below them is meant, too; none: everything
    const char* window;        // "A:B": picoseconds or, with the suffix c, cycles; null: everything
} chm_trace_options;

#define CHM_TRACE_OPTIONS_INIT                                                                     \
    { sizeof(chm_trace_options), NULL, NULL, NULL, NULL, 0, NULL }

typedef struct chm_run_options {
    size_t struct_size;
    uint32_t engine;          // 1: fusion engine on; 0: off (every window is 1)
    uint32_t data;            // 1: transfers carry real bytes and every result is compared
    double stall_probability; // 0 .. 1: random stalls of every port and queue
    uint64_t seed;            // of everything random
    chm_log_callback log;     // may be null
    void* log_user;
    const char* record; // file for the run's messages as chm_replay reads them; may be null
    const chm_trace_options* trace;         // traced from the start (copied); may be null
    const chm_trace_options* trace_unfused; // of chm_compare's side with the engine off, `trace`
                                            // being of the other; may be null
    const char* const*
        failures;         // [failure_count] what fails for good, and at which cycle (copied):
    size_t failure_count; // "link:router_0_0-router_1_0@5000", "die:die_2_1@5000"
} chm_run_options;

#define CHM_RUN_OPTIONS_INIT                                                                       \
    { sizeof(chm_run_options), 1, 0, 0.0, 1, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

// Everything that decides a run, as one file: a platform file with every key and a mapping `run`
// (program, message_bytes, skew, engine, data, stall, seed, fail). The program is named as it was
// loaded.
chm_status chm_configuration_report(chm_report** report, const chm_platform* platform,
                                    const chm_program* program, const chm_run_options* options);

// Loads such a file: the run it describes has the statistics of the run it was written for.
// `settings` (may be null) change it. Of *options only what the file says is set; its failures live
// as long as the platform.
chm_status chm_configuration_load(chm_platform** platform, chm_program** program,
                                  chm_run_options* options, const char* path,
                                  const chm_settings* settings);

typedef struct chm_simulation chm_simulation;

// Builds the machine for a program. Platform and program must outlive the simulation.
//
// With options->record (copied) the simulation remembers every message and what it waited for, and
// writes a message graph once the program has ended well: replayed on the same platform with the
// same seed and stalls it takes the same cycles, and every message arrives when it did. The file is
// written beside its place (.part) and moved there: a run that fails leaves an earlier file as it
// was. chm_io if it cannot be written, chm_unsupported with fidelity lt.
chm_status chm_simulation_create(chm_simulation** simulation, const chm_platform* platform,
                                 const chm_program* program, const chm_run_options* options);
void chm_simulation_free(chm_simulation* simulation);

// Runs to the end of the program. chm_deadlock if the watchdog fires, chm_unreachable if what has
// failed (options->failures) keeps it from ending, and the text says what needs it; chm_mismatch if
// data differ from what they must be; results can be read after both.
chm_status chm_simulation_run(chm_simulation* simulation);

// Runs everything that is due at or before `time_ps` and stops there, or at the end of the program.
// A time in the past does nothing.
chm_status chm_simulation_run_until(chm_simulation* simulation, uint64_t time_ps);

// Traces from now on what the options (copied) say, until stopped, until the program ends or until
// the simulation is freed. The files are opened when the options have been found good, and none is
// left if one cannot be opened. chm_bad_argument for a scope that is not there, a window that is
// none, two files that are one, or while another trace is on; chm_io.
chm_status chm_simulation_trace_start(chm_simulation* simulation, const chm_trace_options* options);

// Ends a trace; without one it does nothing. chm_io if something could not be written, now or
// before. (At the end of the program chm_simulation_run says so.)
chm_status chm_simulation_trace_stop(chm_simulation* simulation);

// Simulated time, in ps and in cycles of the platform's clock; 1 in *finished once the program has
// ended. Each out-parameter may be null.
chm_status chm_simulation_time(const chm_simulation* simulation, uint64_t* time_ps,
                               uint64_t* cycles, uint32_t* finished);

enum { chm_name_chars = 64, chm_text_chars = 256 };

typedef enum chm_data_state { chm_data_off = 0, chm_data_equal, chm_data_different } chm_data_state;

// Bytes are payload that all dies inject unless the name says otherwise.
typedef struct chm_result {
    size_t struct_size;
    uint64_t cycles;      // from start to the last completion of any die
    uint64_t time_ps;     // the same
    uint64_t bytes_asked; // of the collectives as written
    uint64_t bytes_moved;
    uint64_t metadata_bytes;               // row ids and headers of routed transfers
    uint64_t byte_hops;                    // bytes_moved, each counted once per link it crossed
    uint64_t compute_busy_cycles;          // summed over dies
    uint64_t communication_busy_cycles;    // most on one die
    uint64_t exposed_communication_cycles; // communicating while nothing computes; most on one die
    uint64_t lower_bound_cycles;           // of the run of collectives whose bound is largest:
    uint64_t bandwidth_cycles;             // bandwidth_cycles + latency_cycles; the same with
    uint64_t latency_cycles;               // the engine off and on
    char bound_by[chm_name_chars];         // the term of the bound that is largest
    char runner_up[chm_name_chars];        // the largest of another kind
    uint64_t runner_up_cycles;             // its bound
    uint64_t peak_memory_bytes;            // most on one die
    chm_data_state data;                   // equal only once the program has ended
    char first_difference[chm_text_chars]; // where data differ: die, value, row, element; else ""
    uint64_t dropped_packets;              // on links between routers, each time one was sent and
    uint64_t corrupted_packets;            // did not get across
    uint64_t replayed_packets;             // sent again over a link
    uint64_t returned_packets;             // cut off by a failure and sent again by their source
} chm_result;

#define CHM_RESULT_INIT                                                                            \
    { .struct_size = sizeof(chm_result) }

// What the simulation measured so far.
chm_status chm_simulation_result(const chm_simulation* simulation, chm_result* result);

// Counters of one die and its engine.
typedef struct chm_die_counters {
    size_t struct_size;
    uint64_t descriptors_fetched;
    uint64_t descriptors_fused; // in runs of two or more
    uint64_t values_eliminated; // intermediate results never formed
    uint64_t bytes_asked;       // this die's share of the collectives as written
    uint64_t bytes_moved;       // payload injected
    uint64_t held_cycles;       // sum over descriptors: from decoded to issued
    uint64_t ring_full_cycles;  // the host waited for space in the descriptor ring
    uint64_t compute_busy_cycles;
    uint64_t communication_busy_cycles;
    uint64_t exposed_communication_cycles;
    uint64_t peak_memory_bytes;
    uint64_t peak_staging_bytes;
} chm_die_counters;

#define CHM_DIE_COUNTERS_INIT                                                                      \
    { .struct_size = sizeof(chm_die_counters) }

chm_status chm_simulation_die(const chm_simulation* simulation, uint32_t die,
                              chm_die_counters* counters);

// ---- Reports: texts that the library makes
// -------------------------------------------------------

typedef enum chm_format { chm_format_text = 0, chm_format_json } chm_format;

const char* chm_report_text(const chm_report* report); // terminated; "" for null
size_t chm_report_length(const chm_report* report);
void chm_report_free(chm_report* report);

// `chimera run`: the result with platform, program, message_bytes, seed and data.
chm_status chm_simulation_report(chm_report** report, const chm_simulation* simulation,
                                 chm_format format);

// `chimera run --stats`: that, the counters of every die and the busy cycles of every link, as
// JSON.
chm_status chm_simulation_statistics(chm_report** report, const chm_simulation* simulation);

// The same program with the engine off and on, on identical input.
typedef struct chm_comparison {
    size_t struct_size;
    chm_result unfused;
    chm_result fused;
    double speedup; // unfused.cycles / fused.cycles
    chm_data_state data;
} chm_comparison;

#define CHM_COMPARISON_INIT                                                                        \
    { .struct_size = sizeof(chm_comparison) }

// options->engine and options->record are ignored. comparison, report and statistics may be null.
// statistics becomes one JSON object with the statistics of both sides, "unfused" and "fused".
// chm_mismatch if data differ (the out-parameters are written nevertheless).
chm_status chm_compare(chm_comparison* comparison, chm_report** report, chm_format format,
                       chm_report** statistics, const chm_platform* platform,
                       const chm_program* program, const chm_run_options* options);

// What the engine decides for a program: runs, layouts, chosen and rejected plans, and the rule
// that forbade each fusion that was not made. JSON includes the plans.
chm_status chm_explain_report(chm_report** report, chm_format format, const chm_platform* platform,
                              const chm_program* program);

// The fused form of every ordered pair of collectives on this platform. Of the settings (may be
// null) message_bytes is used, else 1 MiB.
chm_status chm_pairs_report(chm_report** report, chm_format format, const chm_platform* platform,
                            const chm_settings* settings);

// Replays a message graph (tests/reference/README.md has the format) straight through the network
// interfaces.
typedef struct chm_replay_options {
    size_t struct_size;
    uint64_t seed;                  // of random routes and stalls
    double stall_probability;       // as in chm_run_options
    const chm_trace_options* trace; // may be null; dies have a FIFO, as channel 0 of a DMA
    const char* const* failures;    // [failure_count] as in chm_run_options
    size_t failure_count;
} chm_replay_options;

#define CHM_REPLAY_OPTIONS_INIT                                                                    \
    { sizeof(chm_replay_options), 1, 0.0, NULL, NULL, 0 }

typedef struct chm_replay_result {
    size_t struct_size;
    uint64_t cycles; // of the last arrival or compute start, plus 1
    uint64_t time_ps;
    uint64_t messages;
    uint64_t packets;
    uint64_t packet_hops; // router-to-router links that packets crossed
    uint64_t latency_min; // cycles from issue to arrival of a message
    uint64_t latency_max;
    double latency_mean;
    uint64_t dropped_packets, corrupted_packets, replayed_packets; // as in chm_result
    uint64_t returned_packets;                                     // likewise
} chm_replay_result;

#define CHM_REPLAY_RESULT_INIT                                                                     \
    { .struct_size = sizeof(chm_replay_result) }

// result and report may be null.
chm_status chm_replay(chm_replay_result* result, chm_report** report, chm_format format,
                      const chm_platform* platform, const char* path,
                      const chm_replay_options* options);

// Open-loop traffic on a platform's network: what it accepts of what is offered, and how long
// packets take. One struct in, one out; CHM_LOAD_OPTIONS_INIT has the defaults.
typedef struct chm_load_options {
    size_t struct_size;
    const char* pattern; // uniform, transpose, bitcomplement, tornado, shuffle, hotspot, neighbour
    double rate;         // flits per die per cycle offered, headers included; above 0, at most 1
    uint32_t packet_bytes;    // payload of a packet, at most mtu_bytes
    uint64_t warm_up_cycles;  // before anything is counted
    uint64_t measure_cycles;  // in which packets are counted
    uint64_t drain_cycles;    // at most, for those to arrive
    uint64_t packets_per_die; // measure for about so many instead of measure_cycles; 0: do not
    uint64_t seed;
    const char* const* failures; // [failure_count] as in chm_run_options; what cannot be sent any
    size_t failure_count;        // more, or to a die that has failed, stays unfinished
} chm_load_options;

#define CHM_LOAD_OPTIONS_INIT                                                                      \
    { sizeof(chm_load_options), "uniform", 0.1, 256, 16000, 10000, 100000, 0, 0, NULL, 0 }

typedef struct chm_load_result {
    size_t struct_size;
    double offered, accepted; // flits per die per cycle in the measured stretch
    uint64_t packets;         // offered in it
    uint64_t unfinished;      // of these, not arrived when draining ended
    double latency_mean;      // cycles from the offer to the arrival, of those that arrived
    uint64_t latency_p50, latency_p99, latency_max;
    double drift;        // accepted in its second half less that in its first, of `accepted`
    double least_source; // flits per cycle that arrived from the die that got fewest through
    double busiest_port; // flits per cycle that the die took to which most came
} chm_load_result;

#define CHM_LOAD_RESULT_INIT                                                                       \
    { .struct_size = sizeof(chm_load_result) }

// result and report may be null.
chm_status chm_measure_load(chm_load_result* result, chm_report** report, chm_format format,
                            const chm_platform* platform, const chm_load_options* options);

// A load curve: the same at `count` rates, evenly from options->rate to last_rate. `results` may be
// null or has `count` elements, each with its struct_size; report may be null.
chm_status chm_sweep_load(chm_load_result* results, uint32_t count, double last_rate,
                          chm_report** report, chm_format format, const chm_platform* platform,
                          const chm_load_options* options);

// `chimera topology`: a picture of the platform as SVG. With the statistics of a run on it (a file
// that chm_simulation_statistics filled; may be null) links are coloured by how long they were
// busy, and every link says so when pointed at.
chm_status chm_topology_report(chm_report** report, const chm_platform* platform,
                               const char* statistics_path);

// Checks one file: a platform (a YAML file with the key `platform`), a program (any other YAML
// file) or a message graph (.csv). *kind, which may be null, becomes "platform", "program" or
// "graph".
chm_status chm_validate(const char* path, const char** kind);

typedef enum chm_list {
    chm_list_platforms = 0, // shipped ones
    chm_list_programs,
    chm_list_parameters, // of hardware and programs: name, type, unit, default, range, meaning
    chm_list_schema,     // JSON Schema of platform files and configurations, for editors
    chm_list_reference   // the same as chm_list_parameters as a page in Markdown
} chm_list;

chm_status chm_list_report(chm_report** report, chm_list what, chm_format format);

#ifdef __cplusplus
}
#endif
