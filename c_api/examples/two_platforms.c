// SPDX-License-Identifier: Apache-2.0
// Two platforms interleaved in one process, one of them stepped to a picosecond; counters of a die;
// a clean error from a broken file.
#include <inttypes.h>
#include <stdio.h>

#include "chimera.h"

static int check(chm_status status) {
    if (status != chm_ok) {
        fprintf(stderr, "%s: %s\n", chm_status_string(status), chm_last_error());
    }
    return status == chm_ok;
}

int main(void) {
    static const char* const names[2] = {"mesh_5x5", "fat_tree_2x8"};
    chm_platform* platform[2] = {NULL, NULL};
    chm_program* program[2] = {NULL, NULL};
    chm_simulation* simulation[2] = {NULL, NULL};
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    chm_settings* settings = NULL;
    int good = check(chm_settings_create(&settings)) &&
               check(chm_settings_parse(settings, "message_bytes=64KiB"));
    for (int i = 0; good && i < 2; ++i) {
        good = check(chm_platform_load(&platform[i], names[i], settings)) &&
               check(chm_program_load(&program[i], platform[i], "tp_ep", settings, 1)) &&
               check(chm_simulation_create(&simulation[i], platform[i], program[i], &options));
    }
    // One runs to 1,234,567 ps exactly, the other to its end, then the first goes on.
    uint64_t time_ps = 0;
    chm_result result[2] = {CHM_RESULT_INIT, CHM_RESULT_INIT};
    chm_die_counters counters = CHM_DIE_COUNTERS_INIT;
    good = good && check(chm_simulation_run_until(simulation[0], 1234567)) &&
           check(chm_simulation_time(simulation[0], &time_ps, NULL, NULL)) &&
           check(chm_simulation_run(simulation[1])) && check(chm_simulation_run(simulation[0])) &&
           check(chm_simulation_result(simulation[0], &result[0])) &&
           check(chm_simulation_result(simulation[1], &result[1])) &&
           check(chm_simulation_die(simulation[0], 0, &counters));
    if (good) {
        printf("%s stood at %" PRIu64 " ps, ended after %" PRIu64 " cycles; %s after %" PRIu64
               "; die 0 fused %" PRIu64 " of %" PRIu64 " descriptors\n",
               names[0], time_ps, result[0].cycles, names[1], result[1].cycles,
               counters.descriptors_fused, counters.descriptors_fetched);
    }
    chm_program* broken = NULL;
    const char* file = "c_api/examples/broken.yaml"; // from the project's root
    good = good && chm_program_load(&broken, platform[0], file, NULL, 1) != chm_ok;
    printf("a broken file: %s", chm_last_error());
    for (int i = 0; i < 2; ++i) {
        chm_simulation_free(simulation[i]);
        chm_program_free(program[i]);
        chm_platform_free(platform[i]);
    }
    chm_settings_free(settings);
    return good ? 0 : 1;
}
