// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/base/arena.h"
#include "hw/base/diagnostics.h"

// A platform's wiring as plain data: nodes (routers or switches), directed links, dies attached to
// nodes, a routing function and the costs of ports and packets. platforms/ fills it, estimates and
// bounds use it without SystemC, hw/fabric elaborates it into modules.
//
// Port numbering of a node: outputs 0 .. links_out-1 are its outgoing links in the order of
// out_links, then the ejection ports of the attached dies in ascending die order; inputs likewise:
// incoming links in the order of in_links, then the injection ports of the attached dies.
//
// A die has ports_per_die injection and as many ejection ports, or one per link of its node if that
// has fewer, and one at least. Which of them a packet takes is said by chm_die_port_out and _in.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_topology chm_topology;

enum { chm_slowest_link = 1024 };

typedef struct chm_link {
    uint32_t from_node, from_port; // output port at from_node
    uint32_t to_node, to_port;     // input port at to_node
    uint32_t latency_cycles;       // >= 1, both directions (data forward, credits back)
    uint32_t cycles_per_flit;      // 1 .. chm_slowest_link: it takes up a flit every so many cycles
} chm_link;

// What routing may look at. `random` is a hash of (seed, message, packet), constant on the way;
// only its low random_bits bits are used (one per choice between equally long paths).
typedef struct chm_route_key {
    uint32_t source;      // die
    uint32_t destination; // die
    uint64_t random;
} chm_route_key;

typedef struct chm_hop {
    uint32_t port;     // output port of the node
    uint32_t vc_class; // virtual channel class on that output, 0 .. vc_classes-1
} chm_hop;

typedef chm_hop (*chm_route_function)(const chm_topology* topology, uint32_t node,
                                      const chm_route_key* key);

// A cut for lower bounds: which nodes are inside.
typedef struct chm_cut {
    const char* name;      // "columns 0..1"
    const uint8_t* inside; // [nodes]
} chm_cut;

struct chm_topology {
    const char* name;
    uint32_t dies, nodes, link_count;
    const chm_link* links;
    uint32_t ports_per_die;          // at most; 0 is 1
    const uint32_t* die_node;        // [dies] node a die hangs on
    const uint32_t* die_port_index;  // [dies] its first port among those of the dies of that node
    const uint32_t* first_die_port;  // [dies + 1] ports of all dies, numbered die by die
    const uint32_t* node_die_count;  // [nodes]
    const uint32_t* node_port_count; // [nodes] ports of its dies
    const uint32_t* first_node_die;  // [nodes + 1] into node_dies
    const uint32_t* node_dies;       // dies by node, ascending
    const uint32_t* first_out_link;  // [nodes + 1] into out_links
    const uint32_t* out_links;       // link ids by node
    const uint32_t* first_in_link;   // [nodes + 1] into in_links
    const uint32_t* in_links;        // link ids by node
    const char* const* die_names;    // [dies] "die_3_2"
    const char* const* node_names;   // [nodes] "router_3_2", "switch_0"

    uint32_t dimensions; // coordinates of a die: mesh/torus 2 or 3; fat tree 2 (index, switch)
    uint32_t extent[3];  // die id = x + X*y + X*Y*z
    bool wraps;          // torus

    uint32_t router_cycles;                       // head in at the input to head out at the output
    uint32_t injection_latency_cycles;            // network interface to first router, >= 1
    uint32_t ejection_latency_cycles;             // last router to network interface, >= 1
    uint32_t flit_bytes, mtu_bytes, header_flits; // 50, 256, 1
    uint32_t vcs, vc_classes, vc_depth_flits;     // 4, 1 or 2, 318; each class has vcs/vc_classes
    double clock_ghz;

    chm_route_function route;
    const void* route_context;  // the builder's own data, e.g. a routing table
    uint32_t random_bits;       // how many bits of chm_route_key.random routing uses
    bool routes_by_destination; // routing looks at the node and the destination only

    uint32_t cut_count;
    const chm_cut* cuts;
};

// Number of output (input) ports of a node, ejection (injection) ports included.
uint32_t chm_node_outputs(const chm_topology* topology, uint32_t node);
uint32_t chm_node_inputs(const chm_topology* topology, uint32_t node);

// The first ejection port (output) and injection port (input) of a die at its node; its other ports
// follow. Routing names the first.
uint32_t chm_die_ejection_port(const chm_topology* topology, uint32_t die);
uint32_t chm_die_injection_port(const chm_topology* topology, uint32_t die);

// The link behind an output port of a node, UINT32_MAX for an ejection port.
uint32_t chm_node_output_link(const chm_topology* topology, uint32_t node, uint32_t port);

// The cycles that each of a packet's flits takes a link behind an output port, 1 for an ejection
// port; likewise of an input port, 1 for an injection port.
uint32_t chm_node_output_cycles(const chm_topology* topology, uint32_t node, uint32_t port);
uint32_t chm_node_input_cycles(const chm_topology* topology, uint32_t node, uint32_t port);

// How many injection ports a die has, and ejection ports: the same.
uint32_t chm_die_ports(const chm_topology* topology, uint32_t die);

// The most ports that any die has.
uint32_t chm_topology_most_ports(const chm_topology* topology);

// The die whose port is number `local` among the ports of a node's dies.
uint32_t chm_node_port_die(const chm_topology* topology, uint32_t node, uint32_t local);

// The port of its die that a packet leaves by, and the one it arrives by, 0 .. chm_die_ports - 1.
// The link it takes first and last says: of L links that leave the die's node, number l (in the
// order of out_links) belongs to port l * chm_die_ports / L, rounded down, and a link that comes in
// to the port of the one that leads back; so with a port per link, what goes over one link never
// waits for what goes over another. Between dies of one node, the other die's number modulo ports
// is the port. `output`: at the source's node, as routing names it; `input`: of the destination's.
uint32_t chm_die_port_out(const chm_topology* topology, uint32_t source, uint32_t destination,
                          uint32_t output);
uint32_t chm_die_port_in(const chm_topology* topology, uint32_t source, uint32_t destination,
                         uint32_t input);

// chm_die_port_out of a packet, by asking for its first hop.
uint32_t chm_topology_port_out(const chm_topology* topology, const chm_route_key* key);

// The links a packet takes from die to die, in order (none if both hang on one node). Writes at
// most `capacity` link ids and returns the number of links, or UINT32_MAX if routing does not
// arrive within `nodes` hops.
uint32_t chm_topology_path(const chm_topology* topology, const chm_route_key* key, uint32_t* links,
                           uint32_t capacity);

// Zero-load cycles from issue to arrival of a message, its flits excluded: arrival = issue +
// latency + flits (paper, network timing: 5 + 103*H on a mesh, 204 / 308 on a fat tree), where
// every link takes up a flit per cycle.
uint64_t chm_topology_latency(const chm_topology* topology, const chm_route_key* key);

// Flits of a message of `bytes`: packets of at most mtu_bytes, each header_flits +
// ceil(payload / flit_bytes). A message of 0 bytes is one header.
uint64_t chm_topology_flits(const chm_topology* topology, uint64_t bytes);

// Coordinates of a die: x, y, z (unused ones 0).
void chm_topology_coordinates(const chm_topology* topology, uint32_t die, uint32_t xyz[3]);

// Builder's helper: fills the index arrays (first_out_link, out_links, node_dies, ..., and the port
// numbers in `links`) from dies, nodes, link_count, links (from_node, to_node, latency set),
// die_node and ports_per_die. Links keep the order they have; cycles_per_flit becomes 1 where it is
// 0. `links` must be in the arena and writable.
chm_status chm_topology_index(chm_topology* topology, chm_link* links, chm_arena* arena);

// Checks a filled topology: indices and links' speed in range, every latency >= 1, every die
// reaches every die, a packet fits a channel, vcs divisible by vc_classes, ports_per_die of use to
// some die. One message per fault.
chm_status chm_topology_check(const chm_topology* topology, const chm_origin* origin,
                              chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
