/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "check.h"
#include "chimera.h"

static void version_and_names(void) {
    CHECK(strcmp(chm_version(), "0.1.0") == 0);
    CHECK(strcmp(chm_status_string(chm_bad_input), "bad input") == 0);
}

static void loads_shipped_platforms_and_paths(void) {
    chm_platform* platform = NULL;
    CHECK(chm_platform_load(&platform, "mesh_5x5", NULL) == chm_ok);
    CHECK(chm_platform_dies(platform) == 25);
    CHECK(chm_platform_clock_khz(platform) == 1000000);
    CHECK(strcmp(chm_platform_name(platform), "mesh_5x5") == 0);
    chm_platform_free(platform);
    platform = NULL;
    CHECK(chm_platform_load(&platform, CHM_SOURCE_DIR "/platforms/fat_tree_2x8.yaml", NULL) ==
          chm_ok);
    CHECK(chm_platform_dies(platform) == 16);
    chm_platform_free(platform);
}

static void settings_change_a_platform(void) {
    chm_settings* settings = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_parse(settings, "columns=7") == chm_ok);
    CHECK(chm_settings_set(settings, "clock_ghz", "1.7") == chm_ok);
    CHECK(chm_settings_set(settings, "message_bytes", "64KiB") == chm_ok); /* a program's key */
    chm_platform* platform = NULL;
    CHECK(chm_platform_load(&platform, "mesh_5x5", settings) == chm_ok);
    CHECK(chm_platform_dies(platform) == 35);
    CHECK(chm_platform_clock_khz(platform) == 1700000);
    chm_platform_free(platform);
    chm_settings_free(settings);
}

static void all_bad_settings_are_named_at_once(void) {
    chm_settings* settings = NULL;
    chm_platform* platform = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_parse(settings, "no_such_key=1") == chm_ok);
    CHECK(chm_settings_parse(settings, "vcs=9223372036854775808") == chm_ok);
    CHECK(chm_settings_parse(settings, "columns=0") == chm_ok);
    CHECK(chm_platform_load(&platform, "mesh_5x5", settings) == chm_bad_input);
    CHECK(platform == NULL);
    CHECK_CONTAINS(chm_last_error(), "--set no_such_key: unknown key 'no_such_key' (value '1'); "
                                     "allowed: costs, message_bytes, skew, ");
    CHECK_CONTAINS(chm_last_error(),
                   "--set vcs: key 'vcs': got '9223372036854775808'; allowed: integer 1 .. 64");
    CHECK_CONTAINS(chm_last_error(), "--set columns: key 'columns': got '0'; allowed: integer 1 ");
    CHECK(chm_settings_parse(settings, "no_value") == chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "got 'no_value'; allowed: KEY=VALUE");
    CHECK(chm_settings_parse(settings, "=1") == chm_bad_input);
    chm_settings_free(settings);
}

static void unknown_names_list_what_there_is(void) {
    chm_platform* platform = NULL;
    CHECK(chm_platform_load(&platform, "mesh_5x6", NULL) == chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "argument PLATFORM: got 'mesh_5x6'; allowed: ");
    CHECK_CONTAINS(chm_last_error(), "torus_4x4");
    CHECK(chm_platform_load(&platform, "./no/such/file.yaml", NULL) == chm_io);
    CHECK_CONTAINS(chm_last_error(), "./no/such/file.yaml: cannot read");
    CHECK(chm_platform_load(&platform, NULL, NULL) == chm_bad_argument);
    CHECK(chm_platform_load(NULL, "mesh_5x5", NULL) == chm_bad_argument);
    CHECK(platform == NULL);
}

static void chimera_path_replaces_the_shipped_directory(void) {
    chm_platform* platform = NULL;
    setenv("CHIMERA_PATH", "/no/such/directory", 1);
    CHECK(chm_platform_load(&platform, "mesh_5x5", NULL) == chm_io);
    CHECK_CONTAINS(chm_last_error(), "/no/such/directory/platforms: cannot read");
    setenv("CHIMERA_PATH", CHM_SOURCE_DIR, 1);
    CHECK(chm_platform_load(&platform, "mesh_5x5", NULL) == chm_ok);
    unsetenv("CHIMERA_PATH");
    chm_platform_free(platform);
}

static void programs_take_message_bytes_and_skew(void) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_settings* settings = NULL;
    CHECK(chm_platform_load(&platform, "mesh_5x5", NULL) == chm_ok);
    CHECK(chm_program_load(&program, platform, "tp_sp", NULL, 1) == chm_ok);
    CHECK(chm_program_message_bytes(program) == 1 << 20);
    CHECK(strcmp(chm_program_name(program), "tp_sp") == 0);
    chm_program_free(program);
    program = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_parse(settings, "message_bytes=64KiB") == chm_ok);
    CHECK(chm_program_load(&program, platform, "tp_sp", settings, 1) == chm_ok);
    CHECK(chm_program_message_bytes(program) == 65536);
    chm_program_free(program);
    program = NULL;
    CHECK(chm_settings_parse(settings, "skew=1.5") == chm_ok);
    CHECK(chm_program_load(&program, platform, "tp_sp", settings, 1) == chm_bad_input);
    CHECK(program == NULL);
    CHECK_CONTAINS(chm_last_error(), "--set skew: key 'skew': got '1.5'; allowed: number 0 .. 1");
    chm_settings_free(settings);
    chm_platform_free(platform);
}

static void lists_are_complete(void) {
    chm_report* report = NULL;
    CHECK(chm_list_report(&report, chm_list_platforms, chm_format_text) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "mesh_5x5");
    CHECK_CONTAINS(chm_report_text(report), "fat_tree_2x32");
    CHECK(chm_report_length(report) == strlen(chm_report_text(report)));
    chm_report_free(report);
    CHECK(chm_list_report(&report, chm_list_programs, chm_format_json) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "\"name\": \"sp_pp_full\"");
    chm_report_free(report);
    CHECK(chm_list_report(&report, chm_list_parameters, chm_format_text) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "link_latency_cycles");
    CHECK_CONTAINS(chm_report_text(report), "message_bytes");
    CHECK_CONTAINS(chm_report_text(report), "dies_per_switch");
    chm_report_free(report);
    CHECK(chm_list_report(&report, chm_list_reference, chm_format_text) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report),
                   "| `columns` | none | integer 1 .. 256 | Dies along x. |");
    CHECK_CONTAINS(chm_report_text(report), "| `stall` | 0 | number 0 .. 1 |");
    CHECK_CONTAINS(chm_report_text(report),
                   "| `cycles_per_flit` | none | integer 1 .. 1024 cycles |");
    chm_report_free(report);
    CHECK(chm_list_report(&report, chm_list_schema, chm_format_text) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "\"const\": \"pcie_box\"");
    CHECK_CONTAINS(chm_report_text(report), "\"required\": [\"columns\", \"rows\"]");
    chm_report_free(report);
    CHECK(chm_list_report(NULL, chm_list_parameters, chm_format_text) == chm_bad_argument);
}

static void validates_each_kind(void) {
    const char* kind = NULL;
    CHECK(chm_validate(CHM_SOURCE_DIR "/platforms/torus_2x2x2.yaml", &kind) == chm_ok);
    CHECK(kind != NULL && strcmp(kind, "platform") == 0);
    CHECK(chm_validate(CHM_SOURCE_DIR "/traces/pp_ep.yaml", &kind) == chm_ok);
    CHECK(kind != NULL && strcmp(kind, "program") == 0);
    CHECK(chm_validate(CHM_SOURCE_DIR "/c_api/examples/broken.yaml", &kind) == chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "broken.yaml:5:1: duplicate key 'tensors'");
    CHECK(chm_validate(CHM_SOURCE_DIR, &kind) == chm_io);
    CHECK(chm_validate(NULL, &kind) == chm_bad_argument);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"version_and_names", version_and_names},
        {"loads_shipped_platforms_and_paths", loads_shipped_platforms_and_paths},
        {"settings_change_a_platform", settings_change_a_platform},
        {"all_bad_settings_are_named_at_once", all_bad_settings_are_named_at_once},
        {"unknown_names_list_what_there_is", unknown_names_list_what_there_is},
        {"chimera_path_replaces_the_shipped_directory",
         chimera_path_replaces_the_shipped_directory},
        {"programs_take_message_bytes_and_skew", programs_take_message_bytes_and_skew},
        {"lists_are_complete", lists_are_complete},
        {"validates_each_kind", validates_each_kind},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
