// SPDX-License-Identifier: Apache-2.0
// What `make demo` shows: every transition on four platforms, engine off and on, data compared.
#include <inttypes.h>
#include <stdio.h>

#include "chimera.h"

static int fail(const char* platform, const char* program) {
    fprintf(stderr, "%s on %s: %s\n", program, platform, chm_last_error());
    return 1;
}

static int row(const chm_platform* platform, const char* program_name) {
    chm_program* program = NULL;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.data = 1;
    chm_comparison c = CHM_COMPARISON_INIT;
    const char* name = chm_platform_name(platform);
    if (chm_program_load(&program, platform, program_name, NULL, options.seed) != chm_ok) {
        return fail(name, program_name);
    }
    chm_status status = chm_compare(&c, NULL, chm_format_text, NULL, platform, program, &options);
    chm_program_free(program);
    if (status != chm_ok && status != chm_mismatch) {
        return fail(name, program_name);
    }
    printf("%-12s %-11s %10" PRIu64 " %10" PRIu64 " %7.2f %11" PRIu64 " %11" PRIu64 " %11" PRIu64
           "  data %s\n",
           name, program_name, c.unfused.cycles, c.fused.cycles, c.speedup, c.fused.bytes_asked,
           c.fused.bytes_moved, c.fused.lower_bound_cycles,
           c.data == chm_data_equal ? "equal" : "DIFFERENT");
    fflush(stdout);
    return c.data == chm_data_equal ? 0 : fail(name, program_name);
}

int main(void) {
    static const char* const platforms[] = {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"};
    static const char* const programs[] = {"tp_sp", "tp_pp",      "tp_ep", "pp_ep",
                                           "sp_pp", "sp_pp_full", "sp_ep"};
    int failures = 0;
    printf("Chimera %s: transitions at 1 MiB per group, fusion engine off and on (cycles; bytes "
           "that all dies inject)\n\n",
           chm_version());
    printf("%-12s %-11s %10s %10s %7s %11s %11s %11s\n", "platform", "program", "off", "on",
           "speedup", "bytes asked", "bytes moved", "lower bound");
    for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; ++i) {
        chm_platform* platform = NULL;
        if (chm_platform_load(&platform, platforms[i], NULL) != chm_ok) {
            return fail(platforms[i], "platform");
        }
        for (size_t j = 0; j < sizeof programs / sizeof programs[0]; ++j) {
            failures += row(platform, programs[j]);
        }
        chm_platform_free(platform);
    }
    return failures == 0 ? 0 : 1;
}
