// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hw/base/text.h"
#include "hw/golden/network/route_table.h"
#include "platforms/user_graph_reader.h"

// One entry of `routes`, whose dies may come as ids, ranges or names of nodes.
typedef struct route_entry {
    const chm_topology* topology;
    chm_route_table* table;
    uint32_t at, over; // nodes
    uint32_t ports;    // links from one to the other
    uint64_t link;     // number among them, UINT64_MAX: by destination
    uint32_t vc_class;
} route_entry;

static uint32_t links_between(const chm_topology* topology, uint32_t from, uint32_t to) {
    uint32_t count = 0;
    for (uint32_t i = topology->first_out_link[from]; i < topology->first_out_link[from + 1]; ++i) {
        count += topology->links[topology->out_links[i]].to_node == to;
    }
    return count;
}

static uint32_t nth_port(const chm_topology* topology, uint32_t from, uint32_t to, uint64_t nth) {
    for (uint32_t i = topology->first_out_link[from];; ++i) {
        if (topology->links[topology->out_links[i]].to_node == to && nth-- == 0) {
            return i - topology->first_out_link[from];
        }
    }
}

static void set_die(chm_graph_reader* in, const route_entry* entry, const chm_yaml_node* where,
                    uint32_t die) {
    const chm_topology* topology = entry->topology;
    if (topology->die_node[die] == entry->at) {
        return; // a range may run over the node's own dies; they need no way
    }
    if (chm_route_table_has(entry->table, entry->at, die)) {
        chm_diagnose(in->request->diagnostics, &where->origin,
                     "node '%s' has a way to die %" PRIu32 " already",
                     topology->node_names[entry->at], die);
        return;
    }
    uint64_t nth = entry->link != UINT64_MAX ? entry->link : die % entry->ports;
    chm_hop hop = {nth_port(topology, entry->at, entry->over, nth), entry->vc_class};
    chm_route_table_set(entry->table, entry->at, die, hop);
}

// "5", "4..7", or the name of a node, for all its dies.
static void set_dies(chm_graph_reader* in, const route_entry* entry, const chm_yaml_node* value) {
    const chm_topology* topology = entry->topology;
    uint64_t first;
    uint64_t last;
    char begin[24] = "";
    const char* text = value->kind == chm_yaml_scalar ? value->text : "";
    const char* dots = strstr(text, "..");
    size_t length = dots != NULL ? (size_t)(dots - text) : strlen(text);
    if (length < sizeof begin) {
        memcpy(begin, text, length);
    }
    if (chm_parse_u64(begin, &first) &&
        (dots == NULL ? (last = first, true) : chm_parse_u64(dots + 2, &last))) {
        if (first > last || last >= topology->dies) {
            chm_diagnose(in->request->diagnostics, &value->origin,
                         "key 'to': got '%s'; allowed: dies 0 .. %" PRIu32, text,
                         topology->dies - 1);
            return;
        }
        for (uint64_t die = first; die <= last; ++die) {
            set_die(in, entry, value, (uint32_t)die);
        }
        return;
    }
    uint32_t node;
    if (chm_graph_node(in, value, "to", &node)) {
        for (uint32_t i = topology->first_node_die[node]; i < topology->first_node_die[node + 1];
             ++i) {
            set_die(in, entry, value, topology->node_dies[i]);
        }
    }
}

static void read_route(chm_graph_reader* in, const chm_yaml_node* yaml, route_entry* entry) {
    chm_diagnostics* diagnostics = in->request->diagnostics;
    if (!chm_graph_is_entry(in, yaml, "a route", "{at: left, to: [4, 5..7], over: right}")) {
        return;
    }
    const chm_yaml_node* at = chm_yaml_get(yaml, "at");
    const chm_yaml_node* to = chm_yaml_get(yaml, "to");
    const chm_yaml_node* over = chm_yaml_get(yaml, "over");
    if (at == NULL || to == NULL || over == NULL) {
        chm_diagnose(diagnostics, &yaml->origin, "a route needs the keys at, to and over");
        return;
    }
    uint64_t vc_class;
    bool sound = chm_graph_node(in, at, "at", &entry->at);
    sound &= chm_graph_node(in, over, "over", &entry->over);
    sound &= chm_graph_number(in, yaml, "class", 0, 0, entry->topology->vc_classes - 1, &vc_class);
    entry->vc_class = (uint32_t)vc_class;
    entry->ports = sound ? links_between(entry->topology, entry->at, entry->over) : 0;
    if (sound && entry->ports == 0) {
        chm_diagnose(diagnostics, &over->origin, "no link leads from node '%s' to node '%s'",
                     at->text, over->text);
        sound = false;
    }
    sound =
        sound && chm_graph_number(in, yaml, "link", UINT64_MAX, 0, entry->ports - 1, &entry->link);
    chm_yaml_refuse_unknown(yaml, "at, to, over, link, class", diagnostics);
    if (!sound) {
        return;
    }
    if (to->kind == chm_yaml_scalar) {
        set_dies(in, entry, to);
    }
    for (size_t i = 0; to->kind == chm_yaml_sequence && i < to->count; ++i) {
        set_dies(in, entry, &to->items[i]);
    }
}

void chm_graph_read_routes(chm_graph_reader* in, const chm_topology* topology,
                           chm_route_table* table) {
    const chm_yaml_node* routes = chm_graph_list(in, "routes");
    for (size_t i = 0; routes != NULL && i < routes->count; ++i) {
        route_entry entry = {.topology = topology, .table = table};
        read_route(in, &routes->items[i], &entry);
    }
}
