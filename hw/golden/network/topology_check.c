// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>

#include "hw/base/random.h"
#include "hw/golden/network/topology.h"

enum {
    all_pairs_dies = 128, // above this many dies, reachability is sampled
    sampled_pairs = 16384,
    checked_choices = 8, // combinations of routing's random bits that are tried
    most_reported = 8    // pairs named before the rest is only counted
};

typedef struct checker {
    const chm_topology* topology;
    const chm_origin* origin;
    chm_diagnostics* diagnostics;
    uint32_t faults;
} checker;

#define CHM_FAULT(check, ...)                                                                      \
    ((check)->faults++, chm_diagnose((check)->diagnostics, (check)->origin, __VA_ARGS__))

static void check_costs(checker* check) {
    const chm_topology* t = check->topology;
    if (t->router_cycles < 1 || t->injection_latency_cycles < 1 || t->ejection_latency_cycles < 1) {
        CHM_FAULT(check,
                  "router_cycles %" PRIu32 ", injection_latency_cycles %" PRIu32
                  ", ejection_latency_cycles %" PRIu32 "; allowed: at least 1 each",
                  t->router_cycles, t->injection_latency_cycles, t->ejection_latency_cycles);
    }
    if (!(t->clock_ghz > 0)) {
        CHM_FAULT(check, "clock_ghz %g; allowed: above 0", t->clock_ghz);
    }
    if (t->vcs < 1 || t->vc_classes < 1 || t->vcs % t->vc_classes != 0) {
        CHM_FAULT(check,
                  "vcs %" PRIu32 " with %" PRIu32
                  " virtual channel classes; allowed: a positive multiple of the classes",
                  t->vcs, t->vc_classes);
    }
    if (t->flit_bytes < 1 || t->mtu_bytes < 1 || t->header_flits < 1) {
        CHM_FAULT(check,
                  "flit_bytes %" PRIu32 ", mtu_bytes %" PRIu32 ", header_flits %" PRIu32
                  "; allowed: at least 1 each",
                  t->flit_bytes, t->mtu_bytes, t->header_flits);
        return;
    }
    uint64_t packet = chm_topology_flits(t, t->mtu_bytes);
    if (packet > t->vc_depth_flits) {
        CHM_FAULT(check,
                  "vc_depth_flits %" PRIu32 "; allowed: at least %" PRIu64
                  ", the flits of a packet of mtu_bytes %" PRIu32,
                  t->vc_depth_flits, packet, t->mtu_bytes);
    }
}

static void check_extent(checker* check) {
    const chm_topology* t = check->topology;
    if (t->dies < 1 || t->nodes < 1) {
        CHM_FAULT(check, "%" PRIu32 " dies on %" PRIu32 " nodes; allowed: at least 1 each", t->dies,
                  t->nodes);
    }
    uint64_t product = (uint64_t)t->extent[0] * t->extent[1];
    bool wide = product > UINT32_MAX;
    if (t->dimensions < 1 || t->dimensions > 3 || wide || product * t->extent[2] != t->dies) {
        CHM_FAULT(check,
                  "extent %" PRIu32 " x %" PRIu32 " x %" PRIu32 " in %" PRIu32
                  " dimensions; allowed: a product of %" PRIu32 " dies in 1 .. 3 dimensions",
                  t->extent[0], t->extent[1], t->extent[2], t->dimensions, t->dies);
    }
}

// The list items[first[node] .. first[node + 1]) must exist and name `id` at `place`.
static bool listed(const uint32_t* first, const uint32_t* items, uint32_t node, uint32_t place,
                   uint32_t id) {
    return place < first[node + 1] - first[node] && items[first[node] + place] == id;
}

static void check_links(checker* check) {
    const chm_topology* t = check->topology;
    for (uint32_t l = 0; l < t->link_count; ++l) {
        const chm_link* link = &t->links[l];
        if (link->from_node >= t->nodes || link->to_node >= t->nodes) {
            CHM_FAULT(check,
                      "link %" PRIu32 ": from node %" PRIu32 " to node %" PRIu32
                      "; allowed: nodes below %" PRIu32,
                      l, link->from_node, link->to_node, t->nodes);
            continue;
        }
        if (link->latency_cycles < 1) {
            CHM_FAULT(check, "link %" PRIu32 ": latency_cycles 0; allowed: at least 1", l);
        }
        if (link->cycles_per_flit < 1 || link->cycles_per_flit > chm_slowest_link) {
            CHM_FAULT(check, "link %" PRIu32 ": cycles_per_flit %" PRIu32 "; allowed: 1 .. %d", l,
                      link->cycles_per_flit, chm_slowest_link);
        }
        if (!listed(t->first_out_link, t->out_links, link->from_node, link->from_port, l) ||
            !listed(t->first_in_link, t->in_links, link->to_node, link->to_port, l)) {
            CHM_FAULT(check, "link %" PRIu32 ": its ports do not lead back to it", l);
        }
    }
}

static void check_dies(checker* check) {
    const chm_topology* t = check->topology;
    for (uint32_t d = 0; d < t->dies; ++d) {
        uint32_t node = t->die_node[d];
        if (node >= t->nodes) {
            CHM_FAULT(check, "die %" PRIu32 ": node %" PRIu32 "; allowed: below %" PRIu32, d, node,
                      t->nodes);
            continue;
        }
        uint32_t at = t->first_node_die[node];
        uint32_t port = 0; // its first, behind those of the dies before it
        while (at < t->first_node_die[node + 1] && t->node_dies[at] < d) {
            port += chm_die_ports(t, t->node_dies[at++]);
        }
        if (at == t->first_node_die[node + 1] || t->node_dies[at] != d ||
            port != t->die_port_index[d] || port + chm_die_ports(t, d) > t->node_port_count[node]) {
            CHM_FAULT(check, "die %" PRIu32 ": its port does not lead back to it", d);
        }
    }
}

// More ports than links of any die's node would be ports that carry nothing.
static void check_ports(checker* check) {
    const chm_topology* t = check->topology;
    uint32_t widest = 0;
    for (uint32_t d = 1; d < t->dies; ++d) {
        widest = chm_die_ports(t, d) > chm_die_ports(t, widest) ? d : widest;
    }
    if (t->ports_per_die > chm_die_ports(t, widest)) {
        uint32_t node = t->die_node[widest];
        CHM_FAULT(check,
                  "ports_per_die %" PRIu32 "; allowed: 1 .. %" PRIu32
                  ", since no die has a node with more links than %s, whose %s has %" PRIu32
                  " out and %" PRIu32 " in",
                  t->ports_per_die, chm_die_ports(t, widest), t->die_names[widest],
                  t->node_names[node], t->first_out_link[node + 1] - t->first_out_link[node],
                  t->first_in_link[node + 1] - t->first_in_link[node]);
    }
}

// True if the packet arrives and keeps to existing virtual channel classes.
static bool arrives(const chm_topology* t, const chm_route_key* key) {
    if (chm_topology_path(t, key, NULL, 0) == UINT32_MAX) {
        return false;
    }
    uint32_t node = t->die_node[key->source];
    for (;;) {
        chm_hop hop = t->route(t, node, key);
        if (hop.vc_class >= t->vc_classes) {
            return false;
        }
        uint32_t link = chm_node_output_link(t, node, hop.port);
        if (link == UINT32_MAX) {
            return true;
        }
        node = t->links[link].to_node;
    }
}

static void check_pair(checker* check, uint32_t source, uint32_t destination, uint32_t* bad) {
    const chm_topology* t = check->topology;
    uint32_t choices = t->random_bits < 3 ? 1u << t->random_bits : checked_choices;
    for (uint32_t c = 0; c < choices; ++c) {
        chm_route_key key = {source, destination, c};
        if (t->random_bits > 3) {
            key.random = chm_hash3(source, destination, c);
        }
        if (!arrives(t, &key)) {
            if ((*bad)++ < most_reported) {
                CHM_FAULT(check,
                          "die %" PRIu32 " does not reach die %" PRIu32
                          ": routing leads to a port or virtual channel class that does not "
                          "exist, to another die, or in a circle",
                          source, destination);
            }
            return;
        }
    }
}

static void check_routes(checker* check) {
    const chm_topology* t = check->topology;
    uint32_t bad = 0;
    if (t->dies <= all_pairs_dies) {
        for (uint32_t s = 0; s < t->dies; ++s) {
            for (uint32_t d = 0; d < t->dies; ++d) {
                check_pair(check, s, d, &bad);
            }
        }
    } else {
        for (uint32_t i = 0; i < sampled_pairs; ++i) {
            uint64_t hash = chm_mix(i);
            check_pair(check, (uint32_t)(hash >> 32) % t->dies, (uint32_t)hash % t->dies, &bad);
        }
    }
    if (bad > most_reported) {
        CHM_FAULT(check, "%" PRIu32 " more pairs of dies do not reach each other",
                  bad - most_reported);
    }
}

chm_status chm_topology_check(const chm_topology* topology, const chm_origin* origin,
                              chm_diagnostics* diagnostics) {
    checker check = {topology, origin, diagnostics, 0};
    check_costs(&check);
    check_extent(&check);
    uint32_t before = check.faults;
    check_links(&check);
    check_dies(&check);
    // Routes can only be walked over indices that are sound.
    if (check.faults == before && topology->dies > 0) {
        check_ports(&check);
        check_routes(&check);
    }
    return check.faults == 0 ? chm_ok : chm_bad_input;
}
