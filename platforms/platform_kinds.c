// SPDX-License-Identifier: Apache-2.0
#include "platforms/platform_kinds.h"

#include <string.h>

#include "platforms/user_graph.h"

// A key with the default 0 must be given, unless its kind says that it is optional.
#define CHM_SHAPE_KEY(name, standard, maximum, meaning)                                            \
    {                                                                                              \
#name, chm_key_u64, "", offsetof(chm_platform_shape, name), standard, 1, maximum, NULL,    \
            meaning                                                                                \
    }

static const chm_key grid_keys[] = {
    CHM_SHAPE_KEY(columns, 0, 256, "Dies along x."),
    CHM_SHAPE_KEY(rows, 0, 256, "Dies along y."),
    CHM_SHAPE_KEY(planes, 0, 256, "Dies along z; absent: the grid has two dimensions."),
};
static const chm_key ring_keys[] = {
    CHM_SHAPE_KEY(dies, 0, 256, "Dies of a ring or of a fully connected platform."),
};
static const chm_key switch_keys[] = {
    CHM_SHAPE_KEY(dies, 0, 32768, "Dies on the switch."),
};
static const chm_key tree_keys[] = {
    CHM_SHAPE_KEY(switches, 0, 1024,
                  "Switches; two are joined by as many links as each has dies, more by a stage of "
                  "spine switches."),
    CHM_SHAPE_KEY(dies_per_switch, 0, 32768, "Dies on each switch."),
    CHM_SHAPE_KEY(spines, 0, 32768,
                  "Spine switches above more than two switches, a divisor of dies_per_switch; "
                  "absent: one per die of a switch."),
};
static const chm_key box_keys[] = {
    CHM_SHAPE_KEY(host_bridges, 2, 16, "Host bridges, each with a link to every other."),
    CHM_SHAPE_KEY(devices_per_bridge, 4, 256, "Dies behind each host bridge."),
    CHM_SHAPE_KEY(bridge_links, 1, 64, "Parallel links between two host bridges."),
};
#define CHM_GRAPH_KEY(name, unit, standard, maximum, meaning)                                      \
    {                                                                                              \
#name, chm_key_u64, unit, offsetof(chm_platform_shape, name), standard, 1, maximum, NULL,  \
            meaning                                                                                \
    }
static const chm_key graph_keys[] = {
    CHM_GRAPH_KEY(router_cycles, "cycles", 3, 65536, "Head in at a node to head out of it."),
    CHM_GRAPH_KEY(injection_latency_cycles, "cycles", 1, 65536, "Die to its node."),
    CHM_GRAPH_KEY(ejection_latency_cycles, "cycles", 1, 65536, "Node to its die."),
    CHM_GRAPH_KEY(vc_classes, "", 1, 64, "Classes that routes may name; divides vcs."),
};

#define CHM_TABLE(block, keys)                                                                     \
    { block, keys, sizeof keys / sizeof keys[0] }
static const chm_key_table grid_table = CHM_TABLE("mesh and torus", grid_keys);
static const chm_key_table ring_table = CHM_TABLE("ring", ring_keys);
static const chm_key_table switch_table = CHM_TABLE("switch", switch_keys);
static const chm_key_table tree_table = CHM_TABLE("fat_tree", tree_keys);
static const chm_key_table box_table = CHM_TABLE("pcie_box", box_keys);
static const chm_key_table graph_table = CHM_TABLE("graph", graph_keys);

const chm_key_table* const chm_platform_shape_tables[] = {&grid_table, &ring_table, &switch_table,
                                                          &tree_table, &box_table,  &graph_table};
const size_t chm_platform_shape_table_count =
    sizeof chm_platform_shape_tables / sizeof chm_platform_shape_tables[0];

static bool stands_before(size_t table, const char* name) {
    bool found = false;
    for (size_t before = 0; before < table; ++before) {
        found = found || chm_keys_find(chm_platform_shape_tables[before], name) != NULL;
    }
    return found;
}

void chm_platform_each_shape_name(void (*visit)(const char* name, void* context), void* context) {
    for (size_t t = 0; t < chm_platform_shape_table_count; ++t) {
        const chm_key_table* table = chm_platform_shape_tables[t];
        for (size_t k = 0; k < table->count; ++k) {
            if (!stands_before(t, table->keys[k].name)) {
                visit(table->keys[k].name, context);
            }
        }
    }
}

static void append_name(const char* name, void* names) {
    chm_text* text = names;
    chm_text_format(text, "%s%s", text->length == 0 ? "" : ", ", name);
}

void chm_platform_shape_names(chm_text* names) {
    chm_platform_each_shape_name(append_name, names);
}

bool chm_platform_kind_needs(const chm_platform_kind* kind, const chm_key* key) {
    return key->default_value < key->minimum &&
           (kind->optional == NULL || strcmp(key->name, kind->optional) != 0);
}

static uint64_t grid_dies(const chm_platform_shape* shape) {
    return shape->columns * shape->rows * (shape->planes != 0 ? shape->planes : 1);
}

static uint64_t line_dies(const chm_platform_shape* shape) {
    return shape->dies;
}

static uint64_t tree_dies(const chm_platform_shape* shape) {
    return shape->switches * shape->dies_per_switch;
}

static uint64_t box_dies(const chm_platform_shape* shape) {
    return shape->host_bridges * shape->devices_per_bridge;
}

static uint32_t extent_of(const chm_platform_shape* shape, uint32_t extent[3]) {
    extent[0] = (uint32_t)shape->columns;
    extent[1] = (uint32_t)shape->rows;
    extent[2] = shape->planes != 0 ? (uint32_t)shape->planes : 1;
    return shape->planes != 0 ? 3 : 2;
}

static chm_status build_mesh(chm_topology* topology, const chm_build_request* request) {
    uint32_t extent[3];
    uint32_t dimensions = extent_of(request->shape, extent);
    return chm_build_mesh(topology, extent, dimensions, request->fabric, request->arena);
}

static chm_status build_torus(chm_topology* topology, const chm_build_request* request) {
    uint32_t extent[3];
    uint32_t dimensions = extent_of(request->shape, extent);
    return chm_build_torus(topology, extent, dimensions, request->fabric, request->arena);
}

static chm_status build_ring(chm_topology* topology, const chm_build_request* request) {
    return chm_build_ring(topology, (uint32_t)request->shape->dies, request->fabric,
                          request->arena);
}

static chm_status build_full(chm_topology* topology, const chm_build_request* request) {
    return chm_build_fully_connected(topology, (uint32_t)request->shape->dies, request->fabric,
                                     request->arena);
}

static chm_status build_switch(chm_topology* topology, const chm_build_request* request) {
    return chm_build_switch(topology, (uint32_t)request->shape->dies, request->fabric,
                            request->arena);
}

static chm_status build_tree(chm_topology* topology, const chm_build_request* request) {
    const chm_platform_shape* shape = request->shape;
    if (shape->spines != 0 && shape->dies_per_switch % shape->spines != 0) {
        chm_diagnose(request->diagnostics, request->file,
                     "key 'spines': got '%u'; allowed: a divisor of dies_per_switch, %u",
                     (unsigned)shape->spines, (unsigned)shape->dies_per_switch);
        return chm_bad_input;
    }
    return chm_build_fat_tree(topology, (uint32_t)shape->switches, (uint32_t)shape->dies_per_switch,
                              (uint32_t)shape->spines, request->fabric, request->arena);
}

static chm_status build_box(chm_topology* topology, const chm_build_request* request) {
    const chm_platform_shape* shape = request->shape;
    return chm_build_pcie_box(topology, (uint32_t)shape->host_bridges,
                              (uint32_t)shape->devices_per_bridge, (uint32_t)shape->bridge_links,
                              request->fabric, request->arena);
}

static const char grid_product[] = "columns x rows x planes";

const chm_platform_kind chm_platform_kinds[] = {
    {"mesh", &grid_table, "planes", NULL, grid_product, grid_dies, build_mesh, false},
    {"torus", &grid_table, "planes", NULL, grid_product, grid_dies, build_torus, true},
    {"ring", &ring_table, NULL, NULL, "dies", line_dies, build_ring, true},
    {"fully_connected", &ring_table, NULL, NULL, "dies", line_dies, build_full, false},
    {"switch", &switch_table, NULL, NULL, "dies", line_dies, build_switch, false},
    {"fat_tree", &tree_table, "spines", NULL, "switches x dies_per_switch", tree_dies, build_tree,
     false},
    {"pcie_box", &box_table, NULL, NULL, "host_bridges x devices_per_bridge", box_dies, build_box,
     false},
    {"graph", &graph_table, NULL, chm_user_graph_lists, NULL, NULL, chm_build_user_graph, false},
};
const size_t chm_platform_kind_count = sizeof chm_platform_kinds / sizeof chm_platform_kinds[0];

const chm_platform_kind* chm_platform_kind_find(const char* name) {
    for (size_t k = 0; k < chm_platform_kind_count; ++k) {
        if (strcmp(chm_platform_kinds[k].name, name) == 0) {
            return &chm_platform_kinds[k];
        }
    }
    return NULL;
}
