// SPDX-License-Identifier: Apache-2.0
#include "platforms/user_graph_reader.h"

#include <inttypes.h>
#include <string.h>

#include "hw/base/text.h"

bool chm_graph_is_entry(chm_graph_reader* in, const chm_yaml_node* node, const char* what,
                        const char* example) {
    if (node->kind != chm_yaml_mapping) {
        chm_diagnose(in->request->diagnostics, &node->origin, "%s is a mapping such as %s", what,
                     example);
        return false;
    }
    return true;
}

bool chm_graph_node(chm_graph_reader* in, const chm_yaml_node* value, const char* key,
                    uint32_t* node) {
    for (uint32_t n = 0; value->kind == chm_yaml_scalar && n < in->wiring.nodes; ++n) {
        if (strcmp(in->wiring.node_names[n], value->text) == 0) {
            *node = n;
            return true;
        }
    }
    chm_diagnose(in->request->diagnostics, &value->origin,
                 "key '%s': got '%s'; allowed: the name of a node of this file", key,
                 value->kind == chm_yaml_scalar ? value->text : "a list or mapping");
    return false;
}

bool chm_graph_number(chm_graph_reader* in, const chm_yaml_node* entry, const char* key,
                      uint64_t absent, uint64_t least, uint64_t most, uint64_t* number) {
    const chm_yaml_node* value = chm_yaml_get(entry, key);
    *number = absent;
    if (value == NULL) {
        return true;
    }
    if (value->kind == chm_yaml_scalar && chm_parse_u64(value->text, number) && *number >= least &&
        *number <= most) {
        return true;
    }
    chm_diagnose(in->request->diagnostics, &value->origin,
                 "key '%s': got '%s'; allowed: integer %" PRIu64 " .. %" PRIu64, key,
                 value->kind == chm_yaml_scalar ? value->text : "a list or mapping", least, most);
    return false;
}

const chm_yaml_node* chm_graph_list(chm_graph_reader* in, const char* key) {
    const chm_yaml_node* list = chm_yaml_get(in->request->root, key);
    if (list != NULL && list->kind != chm_yaml_sequence) {
        chm_diagnose(in->request->diagnostics, &list->origin, "key '%s' is a list", key);
        return NULL;
    }
    return list;
}
