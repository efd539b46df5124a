/* SPDX-License-Identifier: Apache-2.0 */
/* What an embedding program may get wrong: every call answers with a status and a message, and what
   was alive before stays usable. */
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "chimera.h"

#define CHECK_REFUSED(call)                                                                        \
    do {                                                                                           \
        CHECK((call) == chm_bad_argument);                                                         \
        CHECK_CONTAINS(chm_last_error(), "argument ");                                             \
    } while (0)

static chm_platform* platform_of(const char* name) {
    chm_platform* platform = NULL;
    CHECK(chm_platform_load(&platform, name, NULL) == chm_ok);
    return platform;
}

static chm_program* program_of(const chm_platform* platform, const char* name, const char* pair) {
    chm_settings* settings = NULL;
    chm_program* program = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_set(settings, "message_bytes", "16KiB") == chm_ok);
    CHECK(pair == NULL || chm_settings_parse(settings, pair) == chm_ok);
    CHECK(chm_program_load(&program, platform, name, settings, 1) == chm_ok);
    chm_settings_free(settings);
    return program;
}

static void numbers_that_are_no_enumerator(void) {
    chm_platform* platform = platform_of("torus_2x2x2");
    chm_program* program = program_of(platform, "tp_sp", NULL);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    chm_simulation* simulation = NULL;
    chm_report* report = NULL;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    static const int numbers[] = {-1, 2, 1 << 30};
    for (int i = 0; i < 3; ++i) {
        chm_format format = (chm_format)numbers[i];
        CHECK_REFUSED(chm_simulation_report(&report, simulation, format));
        CHECK_REFUSED(chm_compare(NULL, &report, format, NULL, platform, program, &options));
        CHECK_REFUSED(chm_explain_report(&report, format, platform, program));
        CHECK_REFUSED(chm_pairs_report(&report, format, platform, NULL));
        CHECK_REFUSED(chm_list_report(&report, chm_list_platforms, format));
        chm_list list = (chm_list)(numbers[i] == 2 ? 5 : numbers[i]);
        CHECK_REFUSED(chm_list_report(&report, list, chm_format_text));
        chm_replay_options replay = CHM_REPLAY_OPTIONS_INIT;
        CHECK_REFUSED(chm_replay(NULL, &report, format, platform, "x.csv", &replay));
        CHECK(chm_status_string((chm_status)numbers[i]) != NULL);
    }
    CHECK(report == NULL);
    chm_simulation_free(simulation);
    chm_program_free(program);
    chm_platform_free(platform);
}

static void options_and_structs(void) {
    chm_platform* platform = platform_of("torus_2x2x2");
    chm_program* program = program_of(platform, "tp_sp", NULL);
    chm_simulation* simulation = NULL;
    static const size_t sizes[] = {0, 1, sizeof(chm_run_options) - 1, sizeof(chm_run_options) + 1,
                                   SIZE_MAX};
    for (int i = 0; i < 5; ++i) {
        chm_run_options options = CHM_RUN_OPTIONS_INIT;
        options.struct_size = sizes[i];
        CHECK_REFUSED(chm_simulation_create(&simulation, platform, program, &options));
        CHECK_REFUSED(chm_compare(NULL, NULL, chm_format_text, NULL, platform, program, &options));
    }
    const double stalls[] = {-0.1, 1, 1.5, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 5; ++i) {
        chm_run_options options = CHM_RUN_OPTIONS_INIT;
        options.stall_probability = stalls[i];
        CHECK_REFUSED(chm_simulation_create(&simulation, platform, program, &options));
    }
    CHECK_REFUSED(chm_simulation_create(&simulation, platform, program, NULL));
    CHECK(simulation == NULL);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    chm_result result = CHM_RESULT_INIT;
    chm_die_counters counters = CHM_DIE_COUNTERS_INIT;
    result.struct_size += 1;
    counters.struct_size = 0;
    CHECK_REFUSED(chm_simulation_result(simulation, &result));
    CHECK_REFUSED(chm_simulation_result(simulation, NULL));
    CHECK_REFUSED(chm_simulation_die(simulation, 0, &counters));
    CHECK_REFUSED(chm_simulation_die(simulation, 0, NULL));
    CHECK(chm_simulation_time(simulation, NULL, NULL, NULL) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok); /* none of this harmed it */
    chm_simulation_free(simulation);
    chm_program_free(program);
    chm_platform_free(platform);
}

/* A program that was placed on 64 dies cannot run on 8. */
static void a_program_placed_elsewhere(void) {
    chm_platform* large = platform_of("mesh_8x8");
    chm_platform* small = platform_of("torus_2x2x2");
    chm_program* program =
        program_of(large, CHM_SOURCE_DIR "/traces/variants/parallel_pairs.yaml", NULL);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    chm_simulation* simulation = NULL;
    chm_report* report = NULL;
    CHECK(chm_simulation_create(&simulation, small, program, &options) == chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "there are 8 dies");
    CHECK(chm_explain_report(&report, chm_format_text, small, program) == chm_bad_input);
    CHECK(simulation == NULL && report == NULL);
    chm_program_free(program);
    chm_platform_free(small);
    chm_platform_free(large);
}

/* Data are equal, and the program has ended, only if all of it was executed. */
static void nothing_is_claimed_of_a_program_that_did_not_end(void) {
    chm_platform* platform = platform_of("mesh_5x5");
    chm_program* program = program_of(platform, "sp_ep", "skew=1");
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.data = 1;
    chm_simulation* simulation = NULL;
    chm_report* report = NULL;
    chm_result result = CHM_RESULT_INIT;
    uint64_t now = 0;
    uint64_t later = 0;
    uint32_t finished = 1;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    CHECK(chm_simulation_run_until(simulation, 1000) == chm_ok);
    CHECK(chm_simulation_result(simulation, &result) == chm_ok);
    CHECK(result.data == chm_data_off);
    for (int again = 0; again < 2; ++again) { /* the same answer for ever */
        CHECK(chm_simulation_run(simulation) == chm_overflow);
        CHECK_CONTAINS(chm_last_error(), "expert die");
        CHECK(chm_simulation_time(simulation, again ? &later : &now, NULL, &finished) == chm_ok);
        CHECK(finished == 0);
    }
    CHECK(now == later && now > 0);
    CHECK(chm_simulation_run_until(simulation, now * 2) == chm_overflow);
    CHECK(chm_simulation_result(simulation, &result) == chm_ok);
    CHECK(result.data == chm_data_off);
    CHECK(chm_simulation_statistics(&report, simulation) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "\"data\": \"off\"");
    chm_report_free(report);
    chm_simulation_free(simulation);
    chm_program_free(program);
    /* Another one on the same platform is as good as ever. */
    program = program_of(platform, "sp_ep", NULL);
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    CHECK(chm_simulation_result(simulation, &result) == chm_ok);
    CHECK(result.data == chm_data_equal);
    chm_simulation_free(simulation);
    chm_program_free(program);
    chm_platform_free(platform);
}

static void call_back(void* user, const char* text) {
    chm_simulation* other = user;
    chm_platform* platform = platform_of("torus_2x2x2");
    CHECK(text[0] != '\0');
    CHECK(chm_simulation_run(other) == chm_ok);
    CHECK_REFUSED(chm_simulation_run(NULL));
    chm_platform_free(platform);
}

static void a_log_may_use_other_handles(void) {
    chm_platform* platform = platform_of("torus_2x2x2");
    chm_program* program = program_of(platform, "tp_sp", NULL);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    chm_simulation* other = NULL;
    chm_simulation* simulation = NULL;
    uint32_t finished = 0;
    CHECK(chm_simulation_create(&other, platform, program, &options) == chm_ok);
    options.log = call_back;
    options.log_user = other;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    CHECK(chm_simulation_time(other, NULL, NULL, &finished) == chm_ok);
    CHECK(finished == 1);
    chm_simulation_free(simulation);
    chm_simulation_free(other);
    chm_program_free(program);
    chm_platform_free(platform);
}

static void settings_of_any_text(void) {
    static const char* const pairs[][2] = {{"", ""}, {"a\nb", "\x1b[31m"}, {"vcs", "\n4"}};
    for (int i = 0; i < 3; ++i) {
        chm_settings* settings = NULL;
        chm_platform* platform = NULL;
        CHECK(chm_settings_create(&settings) == chm_ok);
        CHECK(chm_settings_set(settings, pairs[i][0], pairs[i][1]) == chm_ok);
        CHECK(chm_platform_load(&platform, "mesh_5x5", settings) == chm_bad_input);
        const char* text = chm_last_error();
        CHECK(strchr(text, '\n') == text + strlen(text) - 1); /* one line */
        CHECK(strchr(text, '\x1b') == NULL);
        CHECK(platform == NULL);
        chm_settings_free(settings);
    }
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"numbers_that_are_no_enumerator", numbers_that_are_no_enumerator},
        {"options_and_structs", options_and_structs},
        {"a_program_placed_elsewhere", a_program_placed_elsewhere},
        {"nothing_is_claimed_of_a_program_that_did_not_end",
         nothing_is_claimed_of_a_program_that_did_not_end},
        {"a_log_may_use_other_handles", a_log_may_use_other_handles},
        {"settings_of_any_text", settings_of_any_text},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
