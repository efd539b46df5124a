/* SPDX-License-Identifier: Apache-2.0 */
/* Links of different bandwidth under programs: data arrive, and no run beats its lower bound. */
#include <stdlib.h>

#include "check.h"
#include "chimera.h"

static const char* const programs[] = {"tp_sp",
                                       "tp_pp",
                                       "tp_ep",
                                       "pp_ep",
                                       "sp_pp",
                                       "sp_ep",
                                       "sp_pp_full",
                                       "lora",
                                       "sp_ep_sp",
                                       "block_tp_sp",
                                       "block_tp_ep",
                                       "block_tp_sp_backward",
                                       "block_tp_ep_backward"};

enum { transitions = 7, all = sizeof programs / sizeof *programs };

/* Two racks, rails of three speeds between them, and a long way round; one die alone on its node.
 */
static const char mixed[] = "platform: graph\n"
                            "nodes:\n"
                            "  - {name: left, dies: 4}\n"
                            "  - {name: right, dies: 3}\n"
                            "  - {name: last, dies: 1}\n"
                            "  - {name: relay}\n"
                            "links:\n"
                            "  - {between: [left, right], count: 2, cycles_per_flit: 4}\n"
                            "  - {between: [left, right], latency_cycles: 300}\n"
                            "  - {between: [left, relay], bytes_per_cycle: 25}\n"
                            "  - {between: [relay, right], cycles_per_flit: 3}\n"
                            "  - {between: [right, last], count: 2, bytes_per_cycle: 16.67}\n"
                            "routing: up_down\n"
                            "cuts:\n"
                            "  - {name: between_racks, nodes: [left, relay]}\n";

static chm_result run(const chm_platform* platform, const chm_program* program, uint32_t engine) {
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.engine = engine;
    options.data = 1;
    chm_result result = CHM_RESULT_INIT;
    chm_simulation* simulation = NULL;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    CHECK(chm_simulation_result(simulation, &result) == chm_ok);
    chm_simulation_free(simulation);
    return result;
}

/* Returns how many of the first programs fit the platform; adds up their cycles with the engine on.
 */
static int run_all(const char* path, size_t count, const char* setting, uint64_t* cycles) {
    int fit = 0;
    for (size_t i = 0; i < count; ++i) {
        chm_settings* settings = NULL;
        chm_platform* platform = NULL;
        chm_program* program = NULL;
        CHECK(chm_settings_create(&settings) == chm_ok);
        CHECK(chm_settings_parse(settings, "message_bytes=64KiB") == chm_ok);
        if (setting != NULL) {
            CHECK(chm_settings_parse(settings, setting) == chm_ok);
        }
        chm_status status = chm_platform_load(&platform, path, settings);
        CHECK(status == chm_ok);
        if (status != chm_ok) {
            fprintf(stderr, "%s\n", chm_last_error());
        }
        if (chm_program_load(&program, platform, programs[i], settings, 1) == chm_ok) {
            for (uint32_t engine = 0; engine < 2; ++engine) {
                chm_result result = run(platform, program, engine);
                CHECK(result.data == chm_data_equal);
                CHECK(result.lower_bound_cycles > 0);
                CHECK(result.cycles >= result.lower_bound_cycles);
                *cycles += engine ? result.cycles : 0;
            }
            ++fit;
        }
        chm_program_free(program);
        chm_platform_free(platform);
        chm_settings_free(settings);
    }
    return fit;
}

static void a_graph_of_many_speeds(void) {
    char path[] = "/tmp/chimera_slow_links_XXXXXX";
    int fd = mkstemp(path);
    FILE* file = fd >= 0 ? fdopen(fd, "w") : NULL;
    CHECK(file != NULL);
    fputs(mixed, file);
    fclose(file);
    uint64_t at = 0;
    uint64_t lt = 0;
    CHECK(run_all(path, all, NULL, &at) >= 7);
    CHECK(run_all(path, all, "fidelity=lt", &lt) >= 7);
    /* As far apart as docs/fidelity.md says of transitions. */
    CHECK(lt < at + at / 20 && at < lt + lt / 20);
    remove(path);
}

/* A trace changes nothing, and links are shown busy as long as they are. */
static void traces_show_how_long_links_are_busy(void) {
    chm_settings* settings = NULL;
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_parse(settings, "message_bytes=16KiB") == chm_ok);
    CHECK(chm_settings_parse(settings, "link_cycles_per_flit=5") == chm_ok);
    CHECK(chm_platform_load(&platform, "mesh_5x5", settings) == chm_ok);
    CHECK(chm_program_load(&program, platform, "sp_pp", settings, 1) == chm_ok);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    chm_trace_options trace = CHM_TRACE_OPTIONS_INIT;
    trace.timeline = "slow_links.json";
    chm_result results[2] = {CHM_RESULT_INIT, CHM_RESULT_INIT};
    for (int traced = 0; traced < 2; ++traced) {
        options.trace = traced ? &trace : NULL;
        chm_simulation* simulation = NULL;
        CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
        CHECK(chm_simulation_run(simulation) == chm_ok);
        CHECK(chm_simulation_result(simulation, &results[traced]) == chm_ok);
        chm_simulation_free(simulation);
    }
    CHECK(results[0].cycles == results[1].cycles);
    static char text[1 << 20];
    FILE* file = fopen(trace.timeline, "r");
    CHECK(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    remove(trace.timeline);
    /* Two links out of the source's block carry two dies' quarters each: 2 * 16 packets of 7 flits,
     * 5 cycles per flit. */
    CHECK_CONTAINS(text, "\"packets\":32,\"busy_cycles\":1120");
    chm_program_free(program);
    chm_platform_free(platform);
    chm_settings_free(settings);
}

static void every_link_slower(void) {
    static const char* const platforms[] = {"mesh_5x5", "torus_2x2x2", "pcie_box_2x4", "ring_8"};
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; ++i) {
        uint64_t fast = 0;
        uint64_t slow = 0;
        uint64_t slower = 0;
        run_all(platforms[i], transitions, NULL, &fast);
        run_all(platforms[i], transitions, "link_cycles_per_flit=3", &slow);
        run_all(platforms[i], transitions, "link_cycles_per_flit=8", &slower);
        CHECK(fast < slow && slow < slower);
    }
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"a_graph_of_many_speeds", a_graph_of_many_speeds},
        {"traces_show_how_long_links_are_busy", traces_show_how_long_links_are_busy},
        {"every_link_slower", every_link_slower},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
