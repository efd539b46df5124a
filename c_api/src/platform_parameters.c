// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "c_api/include/chimera.h"
#include "c_api/src/error.h"
#include "c_api/src/fidelity_report.h"
#include "platforms/platform.h"

static double number_at(const chm_key* key, const chm_parameters* parameters) {
    const char* field = (const char*)parameters + key->offset;
    if (key->type == chm_key_f64) {
        double number;
        memcpy(&number, field, sizeof number);
        return number;
    }
    if (key->type == chm_key_bool) {
        bool on;
        memcpy(&on, field, sizeof on);
        return on ? 1 : 0;
    }
    uint64_t integer;
    memcpy(&integer, field, sizeof integer);
    return (double)integer;
}

static double last_choice(const char* choices) {
    double last = 0;
    for (const char* at = choices; (at = strchr(at, '|')) != NULL; ++at) {
        ++last;
    }
    return last;
}

chm_status chm_platform_parameter(const chm_platform* platform, const char* key,
                                  chm_parameter* parameter) {
    if (platform == NULL || key == NULL || parameter == NULL ||
        parameter->struct_size != sizeof *parameter) {
        return chm_error_set(
            chm_bad_argument,
            "argument platform, key or parameter: null, or of another struct_size");
    }
    static const chm_parameter_type types[] = {chm_parameter_integer, chm_parameter_number,
                                               chm_parameter_switch, chm_parameter_choice};
    for (uint32_t t = 0; t < chm_parameter_table_count; ++t) {
        const chm_key* found = chm_keys_find(&chm_parameter_tables[t], key);
        if (found != NULL) {
            const bool choice = found->type == chm_key_choice;
            *parameter = (chm_parameter){sizeof *parameter,
                                         found->name,
                                         chm_parameter_tables[t].block,
                                         found->unit,
                                         found->meaning,
                                         types[found->type],
                                         found->minimum,
                                         choice ? last_choice(found->choices) : found->maximum,
                                         found->default_value,
                                         number_at(found, &platform->parameters)};
            return chm_ok;
        }
    }
    return chm_error_set(chm_bad_argument, "argument key: got '%s'; allowed: a key of the hardware",
                         key);
}

chm_status chm_platform_fidelity(const chm_platform* platform, chm_fidelity_error* error) {
    if (platform == NULL || error == NULL || error->struct_size != sizeof *error) {
        return chm_error_set(chm_bad_argument,
                             "argument platform or error: null, or of another struct_size");
    }
    const chm_fidelity_note note = chm_fidelity_of_program(&platform->parameters.fabric);
    chm_fidelity_error made = CHM_FIDELITY_ERROR_INIT;
    if (note.fidelity == chm_fidelity_lt) {
        made.loosely_timed = 1;
        made.as_measured = note.as_measured ? 1 : 0;
        for (size_t i = 0; i < note.count; ++i) { // which of them a program is of shows in its run
            const chm_lt_error* measured = chm_lt_error_of(note.kinds[i]);
            made.median_percent = fmax(made.median_percent, measured->median_percent);
            made.worst_percent = fmax(made.worst_percent, measured->worst_percent);
            made.one_seed_percent = fmax(made.one_seed_percent, measured->one_seed_percent);
        }
    }
    *error = made;
    return chm_ok;
}
