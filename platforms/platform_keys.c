// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "platforms/platform.h"

#define CHM_SHAPE_KEY(name, maximum, meaning)                                                      \
    { #name, chm_key_u64, "", offsetof(chm_platform_shape, name), 0, 1, maximum, NULL, meaning }

static const chm_key grid_keys[] = {
    CHM_SHAPE_KEY(columns, 256, "Dies along x."),
    CHM_SHAPE_KEY(rows, 256, "Dies along y."),
    CHM_SHAPE_KEY(planes, 256, "Dies along z; absent: the grid has two dimensions."),
};

static const chm_key tree_keys[] = {
    CHM_SHAPE_KEY(switches, 2,
                  "Switches; two are joined by as many links as each has dies. More than two need "
                  "a spine, which is not modelled."),
    CHM_SHAPE_KEY(dies_per_switch, 32768, "Dies on each switch."),
};

const chm_key_table chm_grid_keys = {"mesh and torus", grid_keys,
                                     sizeof grid_keys / sizeof grid_keys[0]};
const chm_key_table chm_tree_keys = {"fat_tree", tree_keys, sizeof tree_keys / sizeof tree_keys[0]};

bool chm_platform_has_key(const char* key) {
    if (strcmp(key, "costs") == 0 || chm_keys_find(&chm_grid_keys, key) != NULL ||
        chm_keys_find(&chm_tree_keys, key) != NULL) {
        return true;
    }
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        if (chm_keys_find(&chm_parameter_tables[i], key) != NULL) {
            return true;
        }
    }
    return false;
}
