// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/network/route_table.h"
#include "platforms/platform_kinds.h"
#include "platforms/wiring.h"

// What the parts of the reader of user graphs share. Faults are collected in the request's
// diagnostics; readers go on behind them.

typedef struct chm_graph_reader {
    const chm_build_request* request;
    chm_wiring wiring;
} chm_graph_reader;

// An entry of a list: a mapping of scalars and lists. Reports what is not one.
bool chm_graph_is_entry(chm_graph_reader* in, const chm_yaml_node* node, const char* what,
                        const char* example);

// The node that a scalar names; false, and a fault, if there is none.
bool chm_graph_node(chm_graph_reader* in, const chm_yaml_node* value, const char* key,
                    uint32_t* node);

// The number of an optional key, `absent` if it is not there; false, and a fault, if it is none
// within the limits.
bool chm_graph_number(chm_graph_reader* in, const chm_yaml_node* entry, const char* key,
                      uint64_t absent, uint64_t least, uint64_t most, uint64_t* number);

// The list behind a key, null if absent; reports what is no list.
const chm_yaml_node* chm_graph_list(chm_graph_reader* in, const char* key);

// Adds the links of an entry of the list `links`.
void chm_graph_read_link(chm_graph_reader* in, const chm_yaml_node* entry);

// Sets the hops of the list `routes`, of a topology whose wiring is finished.
void chm_graph_read_routes(chm_graph_reader* in, const chm_topology* topology,
                           chm_route_table* table);
