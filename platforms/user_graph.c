// SPDX-License-Identifier: Apache-2.0
#include "platforms/user_graph.h"

#include <inttypes.h>
#include <string.h>

#include "hw/golden/network/route_table.h"
#include "platforms/user_graph_reader.h"

enum { most_nodes = 4096, most_dies = 65536, most_reported = 8 };

const char* const chm_user_graph_lists[] = {"nodes",  "links", "routing", "root",
                                            "routes", "cuts",  NULL};

typedef enum routing_kind { routing_shortest, routing_up_down, routing_table } routing_kind;

static const char* const routing_names[] = {"shortest", "up_down", "table"};

// A name stands in scopes of waveforms and reports.
static const char* read_name(chm_graph_reader* in, const chm_yaml_node* entry) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const chm_yaml_node* name = chm_yaml_get(entry, "name");
    bool given = name != NULL && name->kind == chm_yaml_scalar;
    size_t length = given ? strlen(name->text) : 0;
    if (length < 1 || length > 64 || strspn(name->text, allowed) != length) {
        chm_diagnose(in->request->diagnostics, name != NULL ? &name->origin : &entry->origin,
                     "key 'name': got '%s'; allowed: 1 .. 64 letters, digits and _",
                     given ? name->text : (name == NULL ? "nothing" : "a list or mapping"));
        return NULL;
    }
    return name->text;
}

static void read_node(chm_graph_reader* in, const chm_yaml_node* entry) {
    if (!chm_graph_is_entry(in, entry, "a node", "{name: left, dies: 4}")) {
        return;
    }
    uint64_t dies;
    const char* name = read_name(in, entry);
    bool counted = chm_graph_number(in, entry, "dies", 0, 0, most_dies, &dies);
    chm_yaml_refuse_unknown(entry, "name, dies", in->request->diagnostics);
    for (uint32_t n = 0; name != NULL && n < in->wiring.nodes; ++n) {
        if (strcmp(in->wiring.node_names[n], name) == 0) {
            chm_diagnose(in->request->diagnostics, &entry->origin, "node '%s' stands twice", name);
            return;
        }
    }
    if (name == NULL || !counted) {
        return;
    }
    if (in->wiring.nodes == most_nodes || in->wiring.dies + dies > most_dies) {
        chm_diagnose(in->request->diagnostics, &entry->origin,
                     "node '%s' makes too many; allowed: %d nodes and %d dies", name, most_nodes,
                     most_dies);
        return;
    }
    uint32_t node = chm_wiring_node(&in->wiring, name);
    for (uint64_t d = 0; d < dies; ++d) {
        const char* die = chm_arena_format(in->request->arena, "die_%" PRIu32, in->wiring.dies);
        chm_wiring_die(&in->wiring, node, die);
    }
}

static routing_kind read_routing(chm_graph_reader* in) {
    const chm_yaml_node* value = chm_yaml_get(in->request->root, "routing");
    if (value == NULL) {
        return routing_shortest;
    }
    for (int kind = routing_shortest; kind <= routing_table; ++kind) {
        if (value->kind == chm_yaml_scalar && strcmp(value->text, routing_names[kind]) == 0) {
            return (routing_kind)kind;
        }
    }
    chm_diagnose(in->request->diagnostics, &value->origin,
                 "key 'routing': got '%s'; allowed: shortest, up_down, table",
                 value->kind == chm_yaml_scalar ? value->text : "a list or mapping");
    return routing_shortest;
}

static void read_cut(chm_graph_reader* in, const chm_yaml_node* entry, chm_cut_list* list) {
    if (!chm_graph_is_entry(in, entry, "a cut", "{name: racks, nodes: [left]}")) {
        return;
    }
    const char* name = read_name(in, entry);
    const chm_yaml_node* nodes = chm_yaml_get(entry, "nodes");
    chm_yaml_refuse_unknown(entry, "name, nodes", in->request->diagnostics);
    if (nodes == NULL || nodes->kind != chm_yaml_sequence || nodes->count == 0) {
        chm_diagnose(in->request->diagnostics, &entry->origin,
                     "key 'nodes': a cut lists the nodes on one side of it");
        return;
    }
    uint8_t* inside = name != NULL ? chm_builder_add_cut(list, name, in->wiring.nodes) : NULL;
    uint32_t node = 0;
    for (size_t i = 0; i < nodes->count; ++i) {
        if (chm_graph_node(in, &nodes->items[i], "nodes", &node) && inside != NULL) {
            inside[node] = 1;
        }
    }
}

// Those of the file come behind the ones around each node.
static chm_status read_cuts(chm_graph_reader* in, chm_topology* topology) {
    const chm_yaml_node* cuts = chm_graph_list(in, "cuts");
    chm_cut_list list = {.arena = in->request->arena};
    void* all = NULL;
    if (chm_arena_grow(list.arena, &all, &list.capacity, topology->cut_count, sizeof(chm_cut)) !=
        chm_ok) {
        return chm_no_memory;
    }
    list.cuts = all;
    list.count = topology->cut_count;
    if (list.count > 0) {
        memcpy(list.cuts, topology->cuts, list.count * sizeof *list.cuts);
    }
    for (size_t i = 0; cuts != NULL && i < cuts->count; ++i) {
        read_cut(in, &cuts->items[i], &list);
    }
    topology->cuts = list.cuts;
    topology->cut_count = (uint32_t)list.count;
    return chm_ok;
}

// What neither the list nor the rule has given a way.
static void check_complete(chm_graph_reader* in, const chm_topology* topology,
                           const chm_route_table* table, routing_kind kind) {
    uint32_t missing = 0;
    for (uint32_t node = 0; node < topology->nodes; ++node) {
        for (uint32_t die = 0; die < topology->dies; ++die) {
            // A table need not say what no packet asks: nodes without dies may be passed by none.
            bool asked = topology->node_die_count[node] > 0 || kind != routing_table;
            if (asked && !chm_route_table_has(table, node, die) && missing++ < most_reported) {
                chm_diagnose(
                    in->request->diagnostics, in->request->file,
                    "node '%s' has no way to die %" PRIu32 ": %s", topology->node_names[node], die,
                    kind == routing_table ? "no entry of 'routes' says one"
                                          : "no links lead there by the rule of 'routing'");
            }
        }
    }
    if (missing > most_reported) {
        chm_diagnose(in->request->diagnostics, in->request->file,
                     "%" PRIu32 " more ways are missing", missing - most_reported);
    }
}

static chm_status set_routes(chm_graph_reader* in, chm_topology* topology) {
    const chm_build_request* request = in->request;
    chm_route_table* table;
    uint32_t errors_before = request->diagnostics->errors;
    routing_kind kind = read_routing(in);
    uint32_t root = 0;
    const chm_yaml_node* named = chm_yaml_get(request->root, "root");
    if (named != NULL) {
        chm_graph_node(in, named, "root", &root);
    }
    chm_status status = chm_route_table_new(topology, request->arena, &table);
    if (status != chm_ok) {
        return status;
    }
    chm_graph_read_routes(in, topology, table);
    if (request->diagnostics->errors != errors_before) {
        return chm_bad_input;
    }
    if (kind == routing_shortest) {
        status = chm_route_table_shortest(topology, table, request->arena);
    } else if (kind == routing_up_down) {
        status = chm_route_table_up_down(topology, root, NULL, table, request->arena);
    }
    check_complete(in, topology, table, kind);
    return status;
}

chm_status chm_build_user_graph(chm_topology* topology, const chm_build_request* request) {
    const chm_platform_shape* shape = request->shape;
    *topology =
        (chm_topology){.name = "graph",
                       .router_cycles = (uint32_t)shape->router_cycles,
                       .injection_latency_cycles = (uint32_t)shape->injection_latency_cycles,
                       .ejection_latency_cycles = (uint32_t)shape->ejection_latency_cycles,
                       .vc_classes = (uint32_t)shape->vc_classes};
    chm_builder_set_fabric(topology, request->fabric);
    chm_graph_reader in = {.request = request};
    chm_wiring_init(&in.wiring, request->arena);
    uint32_t errors_before = request->diagnostics->errors;
    const chm_yaml_node* nodes = chm_graph_list(&in, "nodes");
    const chm_yaml_node* links = chm_graph_list(&in, "links");
    for (size_t i = 0; nodes != NULL && i < nodes->count; ++i) {
        read_node(&in, &nodes->items[i]);
    }
    for (size_t i = 0; links != NULL && i < links->count; ++i) {
        chm_graph_read_link(&in, &links->items[i]);
    }
    if (in.wiring.dies == 0 && request->diagnostics->errors == errors_before) {
        chm_diagnose(request->diagnostics, request->file,
                     "key 'nodes': no node has dies; a graph needs at least one");
    }
    if (request->diagnostics->errors != errors_before) {
        return chm_bad_input;
    }
    chm_status status = chm_wiring_finish(&in.wiring, topology);
    if (status == chm_ok) {
        status = read_cuts(&in, topology);
    }
    if (status == chm_ok) {
        status = set_routes(&in, topology);
    }
    bool clean = request->diagnostics->errors == errors_before;
    return status == chm_ok && !clean ? chm_bad_input : status;
}
