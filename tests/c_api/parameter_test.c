/* SPDX-License-Identifier: Apache-2.0 */
/* What a platform says of its keys, how far its figures may be off, and copies of settings. */
#include "check.h"
#include "chimera.h"

static chm_settings* settings_of(const char* pair) {
    chm_settings* settings = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_parse(settings, pair) == chm_ok);
    return settings;
}

static chm_parameter parameter_of(const char* pair, const char* key) {
    chm_settings* settings = settings_of(pair);
    chm_platform* platform = NULL;
    chm_parameter parameter = CHM_PARAMETER_INIT;
    CHECK(chm_platform_load(&platform, "mesh_5x5", settings) == chm_ok);
    CHECK(chm_platform_parameter(platform, key, &parameter) == chm_ok);
    chm_platform_free(platform);
    chm_settings_free(settings);
    return parameter;
}

/* What docs/parameters.md says of a key of each type, and what --set changed. */
static void keys_of_every_type(void) {
    chm_parameter staging = parameter_of("staging_bytes=64KiB", "staging_bytes");
    CHECK(strcmp(staging.name, "staging_bytes") == 0 && strcmp(staging.block, "engine") == 0);
    CHECK(strcmp(staging.unit, "bytes") == 0 && staging.type == chm_parameter_integer);
    CHECK(staging.minimum == 1 && staging.maximum == 1099511627776.0);
    CHECK(staging.default_value == 262144 && staging.value == 65536);
    CHECK_CONTAINS(staging.meaning, "partially reduced data");
    chm_parameter clock = parameter_of("clock_ghz=1.7", "clock_ghz");
    CHECK(clock.type == chm_parameter_number && clock.default_value == 1 && clock.value == 1.7);
    chm_parameter trains = parameter_of("trains=off", "trains");
    CHECK(trains.type == chm_parameter_switch && trains.value == 0 && trains.default_value == 1);
    /* auto, ring, bidirectional, halving-doubling, direct, staggered, grid, tree */
    chm_parameter schedule = parameter_of("move_schedule=tree", "move_schedule");
    CHECK(schedule.type == chm_parameter_choice && schedule.value == 7 && schedule.maximum >= 7);
}

static void names_that_are_none(void) {
    chm_platform* platform = NULL;
    chm_parameter parameter = CHM_PARAMETER_INIT;
    CHECK(chm_platform_load(&platform, "mesh_5x5", NULL) == chm_ok);
    static const char* const names[] = {"", "vcz", "columns", "message_bytes", "costs"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        CHECK(chm_platform_parameter(platform, names[i], &parameter) == chm_bad_argument);
        CHECK_CONTAINS(chm_last_error(), "allowed: a key of the hardware");
    }
    CHECK(chm_platform_parameter(NULL, "vcs", &parameter) == chm_bad_argument);
    CHECK(chm_platform_parameter(platform, NULL, &parameter) == chm_bad_argument);
    CHECK(chm_platform_parameter(platform, "vcs", NULL) == chm_bad_argument);
    parameter.struct_size = 1;
    CHECK(chm_platform_parameter(platform, "vcs", &parameter) == chm_bad_argument);
    CHECK(parameter.name == NULL);
    chm_platform_free(platform);
}

static chm_fidelity_error error_of(const char* pair, const char* second) {
    chm_settings* settings = settings_of(pair);
    chm_platform* platform = NULL;
    chm_fidelity_error error = CHM_FIDELITY_ERROR_INIT;
    CHECK(chm_settings_parse(settings, second) == chm_ok);
    CHECK(chm_platform_load(&platform, "torus_4x4", settings) == chm_ok);
    CHECK(chm_platform_fidelity(platform, &error) == chm_ok);
    CHECK(chm_platform_fidelity(platform, NULL) == chm_bad_argument);
    CHECK(chm_platform_fidelity(NULL, &error) == chm_bad_argument);
    chm_platform_free(platform);
    chm_settings_free(settings);
    return error;
}

/* The larger of the rows `transitions` and `streamed` of docs/fidelity.md. */
static void loosely_timed_platforms_know_their_error(void) {
    chm_fidelity_error at = error_of("fidelity=at", "vcs=4");
    CHECK(at.loosely_timed == 0 && at.worst_percent == 0 && at.as_measured == 0);
    chm_fidelity_error lt = error_of("fidelity=lt", "vcs=4");
    CHECK(lt.loosely_timed == 1 && lt.as_measured == 1);
    CHECK(lt.median_percent == 1 && lt.worst_percent == 14 && lt.one_seed_percent == 14);
    CHECK(error_of("fidelity=lt", "lt_chunk_bytes=4KiB").as_measured == 0);
}

static void copies_are_changed_apart(void) {
    chm_settings* settings = settings_of("columns=3");
    chm_settings* copy = NULL;
    chm_platform* platform = NULL;
    CHECK(chm_settings_copy(&copy, settings) == chm_ok);
    CHECK(chm_settings_parse(copy, "columns=7") == chm_ok);
    CHECK(chm_platform_load(&platform, "mesh_5x5", settings) == chm_ok);
    CHECK(chm_platform_dies(platform) == 15);
    chm_platform_free(platform);
    chm_settings_free(settings);
    CHECK(chm_platform_load(&platform, "mesh_5x5", copy) == chm_ok);
    CHECK(chm_platform_dies(platform) == 35);
    chm_platform_free(platform);
    chm_settings_free(copy);
    copy = NULL;
    CHECK(chm_settings_copy(&copy, NULL) == chm_bad_argument && copy == NULL);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"keys_of_every_type", keys_of_every_type},
        {"names_that_are_none", names_that_are_none},
        {"loosely_timed_platforms_know_their_error", loosely_timed_platforms_know_their_error},
        {"copies_are_changed_apart", copies_are_changed_apart},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
