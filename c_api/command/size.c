// SPDX-License-Identifier: Apache-2.0
#include "size.h"

#include <stdio.h>

#include "commands.h"

static int print(const size_study* study) {
    if (study->line->json) {
        size_print_json(study);
    } else {
        size_print_text(study);
    }
    return chm_printed();
}

int chm_command_size(const command_line* line) {
    size_study study;
    int result = line->plot != NULL ? size_check_plot(line) : 0;
    if (result != 0) {
        return result;
    }
    result = size_study_make(&study, line);
    if (result == 0) {
        result = print(&study);
    }
    if (result == 0 && line->plot != NULL) {
        result = size_plot(&study);
    }
    size_study_free(&study);
    return result;
}
