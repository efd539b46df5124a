// SPDX-License-Identifier: Apache-2.0
#include <chimera.h>
#include <stdio.h>

int main(void) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_comparison comparison = CHM_COMPARISON_INIT;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    if (chm_platform_load(&platform, "torus_4x4", NULL) != chm_ok ||
        chm_program_load(&program, platform, "tp_sp", NULL, 1) != chm_ok ||
        chm_compare(&comparison, NULL, chm_format_text, NULL, platform, program, &options)) {
        fprintf(stderr, "%s", chm_last_error());
        return 1;
    }
    printf("chimera %s: speedup %.2f\n", chm_version(), comparison.speedup);
    chm_program_free(program);
    chm_platform_free(platform);
    return comparison.speedup > 1 ? 0 : 1;
}
