// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/arena.h"
#include "hw/base/text.h"
#include "hw/base/yaml.h"
#include "hw/golden/network/topology.h"
#include "hw/golden/parameters.h"

// A platform: how dies are wired, and the parameters of their hardware. Read from platforms/*.yaml
// (names of shipped files or paths) and changed by `--set key=value`.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_platform_description chm_platform_description;

typedef struct chm_setting {
    const char* key;
    const char* value;
} chm_setting;

// The keys that say how dies are wired, beside `platform` (the kind), `name` and the keys of
// hw/golden/parameters.h. Each kind has a table of its own; offsets are into chm_platform_shape.
// `platform` and `name` stand in files only; the others may be settings too.
typedef struct chm_platform_shape {
    uint64_t columns, rows, planes;                          // mesh, torus; planes 0: none
    uint64_t dies;                                           // ring, fully_connected, switch
    uint64_t switches, dies_per_switch, spines;              // fat_tree; spines 0: as needed
    uint64_t host_bridges, devices_per_bridge, bridge_links; // pcie_box
    uint64_t router_cycles, injection_latency_cycles, ejection_latency_cycles, vc_classes; // graph
} chm_platform_shape;

struct chm_platform_description {
    chm_arena arena; // owns all
    chm_topology topology;
    chm_parameters parameters;
    const struct chm_platform_kind* kind;
    chm_platform_shape shape;
    const char* name;           // as the file says it, null: it does not
    const chm_yaml_node* lists; // the file, for the lists of a graph and for `run`
};

// Reads a platform, applies settings in order, builds and checks the topology. *platform is set
// only on chm_ok; free it. Faults come all at once. `path` is a file; resolving names is the
// caller's. A fault is chm_bad_input; a file that cannot be read chm_io or chm_bad_input.
chm_status chm_platform_read(const char* path, const chm_setting* settings, uint32_t setting_count,
                             chm_platform_description** platform, chm_diagnostics* diagnostics);

// Appends the platform as a file with every key, which reads back as the same platform whatever the
// defaults will be. A `run` of the file (a configuration, c_api/src/configuration.c) is left out.
void chm_platform_text(const chm_platform_description* platform, chm_text* text);

void chm_platform_free(chm_platform_description* platform);

// The tables of all kinds that differ, for listings.
extern const chm_key_table* const chm_platform_shape_tables[];
extern const size_t chm_platform_shape_table_count;

// Appends the names of all these keys, each once: "columns, rows, ...".
void chm_platform_shape_names(chm_text* names);

// True if a platform may be set this key, so that a caller can tell settings of the platform from
// settings of a program.
bool chm_platform_has_key(const char* key);

// The builders, one file each. All fill *topology in the arena; sizes are validated by the caller's
// key table (mesh and torus: 1 .. 256 per dimension).
chm_status chm_build_mesh(chm_topology* topology, const uint32_t extent[3], uint32_t dimensions,
                          const chm_fabric_params* fabric, chm_arena* arena);
chm_status chm_build_torus(chm_topology* topology, const uint32_t extent[3], uint32_t dimensions,
                           const chm_fabric_params* fabric, chm_arena* arena);
chm_status chm_build_ring(chm_topology* topology, uint32_t dies, const chm_fabric_params* fabric,
                          chm_arena* arena);
chm_status chm_build_fully_connected(chm_topology* topology, uint32_t dies,
                                     const chm_fabric_params* fabric, chm_arena* arena);
chm_status chm_build_switch(chm_topology* topology, uint32_t dies, const chm_fabric_params* fabric,
                            chm_arena* arena);
// `spines` matters for more than two switches: 0 is one per die of a switch; must divide
// dies_per_switch.
chm_status chm_build_fat_tree(chm_topology* topology, uint32_t switches, uint32_t dies_per_switch,
                              uint32_t spines, const chm_fabric_params* fabric, chm_arena* arena);
chm_status chm_build_pcie_box(chm_topology* topology, uint32_t host_bridges,
                              uint32_t devices_per_bridge, uint32_t bridge_links,
                              const chm_fabric_params* fabric, chm_arena* arena);

#ifdef __cplusplus
}
#endif
