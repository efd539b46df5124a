/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "check.h"
#include "chimera.h"

static const char statistics_path[] = "topology_test.json";

static int occurrences(const char* text, const char* word) {
    int count = 0;
    for (const char* at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        count++;
    }
    return count;
}

static void write_file(const char* text) {
    FILE* file = fopen(statistics_path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Statistics of tp_sp on a platform, into the file. */
static void measure(const chm_platform* platform) {
    chm_program* program = NULL;
    chm_simulation* simulation = NULL;
    chm_report* report = NULL;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    CHECK(chm_program_load(&program, platform, "tp_sp", NULL, 1) == chm_ok);
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    CHECK(chm_simulation_statistics(&report, simulation) == chm_ok);
    write_file(chm_report_text(report));
    chm_report_free(report);
    chm_simulation_free(simulation);
    chm_program_free(program);
}

/* A line per link, a box per die and one per switch, whatever the platform. */
static void every_kind_is_drawn(void) {
    static const struct {
        const char* name;
        int boxes, links;
    } kinds[] = {
        {"mesh_5x5", 25, 80},     {"torus_4x4", 16, 64},        {"torus_2x2x2", 8, 48},
        {"fat_tree_2x8", 18, 16}, {"fat_tree_4x8", 44, 64},     {"ring_8", 8, 16},
        {"switch_8", 9, 0},       {"fully_connected_8", 8, 56}, {"pcie_box_2x4", 10, 2},
        {"two_racks", 11, 8},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        chm_platform* platform = NULL;
        chm_report* report = NULL;
        CHECK(chm_platform_load(&platform, kinds[i].name, NULL) == chm_ok);
        CHECK(chm_topology_report(&report, platform, NULL) == chm_ok);
        const char* text = chm_report_text(report);
        CHECK(strncmp(text, "<svg ", 5) == 0);
        CHECK(occurrences(text, "<path ") == kinds[i].links);
        CHECK(occurrences(text, "rx=\"4\"") == kinds[i].boxes);
        CHECK_CONTAINS(text, kinds[i].name);
        /* Only the two racks' links between them, both ways, are slow. */
        CHECK(occurrences(text, "a flit every 2: 25.00 bytes per cycle") ==
              (strcmp(kinds[i].name, "two_racks") == 0 ? 4 : 0));
        CHECK(strstr(text, "nan") == NULL && strstr(text, "busy") == NULL);
        chm_report_free(report);
        chm_platform_free(platform);
    }
}

static void statistics_colour_the_links(void) {
    chm_platform* platform = NULL;
    chm_report* report = NULL;
    CHECK(chm_platform_load(&platform, "torus_2x2x2", NULL) == chm_ok);
    measure(platform);
    CHECK(chm_topology_report(&report, platform, statistics_path) == chm_ok);
    /* Four dies in a square, each to its two neighbours over two parallel links: 16 are used. */
    CHECK_CONTAINS(chm_report_text(report), "tp_sp: 21668 cycles; the busiest link ");
    CHECK(occurrences(chm_report_text(report), ", busy ") == 48);
    CHECK(occurrences(chm_report_text(report), ", busy 0 of 21668") == 48 - 16);
    chm_report_free(report);
    chm_platform_free(platform);
}

static void other_files_are_refused(void) {
    chm_platform* mesh = NULL;
    chm_platform* torus = NULL;
    chm_report* report = NULL;
    CHECK(chm_platform_load(&mesh, "mesh_5x5", NULL) == chm_ok);
    CHECK(chm_platform_load(&torus, "torus_2x2x2", NULL) == chm_ok);
    measure(torus);
    CHECK(chm_topology_report(&report, mesh, statistics_path) == chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "these are not the links of mesh_5x5");
    write_file("{\"cycles\": 3}");
    CHECK(chm_topology_report(&report, mesh, statistics_path) == chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "no statistics of a run; allowed: what 'chimera run");
    write_file("{\"program\": \"x\", \"cycles\": 3, \"links\": [1, 2, 3]}");
    CHECK(chm_topology_report(&report, mesh, statistics_path) == chm_bad_input);
    CHECK(chm_topology_report(&report, mesh, "no_such_file.json") != chm_ok);
    CHECK(chm_topology_report(NULL, mesh, NULL) == chm_bad_argument);
    CHECK(chm_topology_report(&report, NULL, NULL) == chm_bad_argument);
    CHECK(report == NULL);
    chm_platform_free(torus);
    chm_platform_free(mesh);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"every_kind_is_drawn", every_kind_is_drawn},
        {"statistics_colour_the_links", statistics_colour_the_links},
        {"other_files_are_refused", other_files_are_refused},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
