// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/route_circle.h"

#include <stdlib.h>
#include <string.h>

enum { most_starts = 256 }; // channels from which a short circle is looked for

// A dependency: who holds the channel in the upper half may ask for the one in the lower half.
typedef uint64_t dependency;

static dependency from_to(uint32_t held, uint32_t wanted) {
    return (uint64_t)held << 32 | wanted;
}

typedef struct dependency_list {
    chm_arena* arena;
    dependency* items;
    size_t count, capacity;
    chm_status status;
} dependency_list;

static int compare(const void* a, const void* b) {
    dependency x = *(const dependency*)a;
    dependency y = *(const dependency*)b;
    return (x > y) - (x < y);
}

static void sort_and_unite(dependency_list* list) {
    size_t kept = 0;
    if (list->count > 0) {
        qsort(list->items, list->count, sizeof *list->items, compare);
    }
    for (size_t i = 0; i < list->count; ++i) {
        if (kept == 0 || list->items[i] != list->items[kept - 1]) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

// The same dependency comes with every destination behind it, so the list is thinned out before it
// grows.
static void add(dependency_list* list, dependency item) {
    if (list->count == list->capacity) {
        sort_and_unite(list);
        if (list->count >= list->capacity / 2) {
            void* items = list->items;
            list->status = chm_arena_grow(list->arena, &items, &list->capacity,
                                          2 * list->capacity + 1024, sizeof item);
            if (list->status != chm_ok) {
                return;
            }
            list->items = items;
        }
    }
    list->items[list->count++] = item;
}

// What is done with a dependency of a packet's way; false to stop.
typedef bool (*dependency_visit)(void* context, dependency item, const chm_route_key* key);

// Goes the ways from every node with dies to one die. Ways that meet are one from there on, so that
// each node is left once only.
static bool walk_to(const chm_topology* t, uint32_t die, uint32_t* seen, dependency_visit visit,
                    void* context) {
    for (uint32_t first = 0; first < t->nodes; ++first) {
        if (t->node_die_count[first] == 0) {
            continue;
        }
        const chm_route_key key = {t->node_dies[t->first_node_die[first]], die, 0};
        uint32_t held = UINT32_MAX;
        bool met = false;
        for (uint32_t node = first; !met;) {
            chm_hop hop = t->route(t, node, &key);
            uint32_t link = chm_node_output_link(t, node, hop.port);
            if (link == UINT32_MAX) {
                break; // at the die, or no way
            }
            uint32_t wanted = link * t->vc_classes + hop.vc_class;
            if (held != UINT32_MAX && !visit(context, from_to(held, wanted), &key)) {
                return false;
            }
            met = seen[node] == die + 1;
            seen[node] = die + 1;
            held = wanted;
            node = t->links[link].to_node;
        }
    }
    return true;
}

static chm_status walk_all(const chm_topology* t, chm_arena* arena, dependency_visit visit,
                           void* context) {
    uint32_t* seen = chm_arena_alloc(arena, t->nodes, sizeof *seen);
    if (seen == NULL) {
        return chm_no_memory;
    }
    for (uint32_t die = 0; die < t->dies && walk_to(t, die, seen, visit, context); ++die) {
    }
    return chm_ok;
}

static bool collect(void* context, dependency item, const chm_route_key* key) {
    (void)key;
    dependency_list* list = context;
    add(list, item);
    return list->status == chm_ok;
}

// The dependencies as a graph over channels.
typedef struct channel_graph {
    uint32_t channels;
    size_t* first;         // [channels + 1] into `wanted`
    const dependency* all; // ascending; the lower halves are who is asked for
    uint32_t* waits;       // [channels] dependencies on it that are left
    uint32_t* queue;       // [channels]
    uint32_t* before;      // [channels] of a search: where it was reached from
    uint32_t* length;      // [channels] of a search
} channel_graph;

static chm_status build(const chm_topology* t, const dependency_list* list, chm_arena* arena,
                        channel_graph* graph) {
    uint32_t channels = t->link_count * t->vc_classes;
    *graph = (channel_graph){channels,
                             chm_arena_alloc(arena, (size_t)channels + 1, sizeof *graph->first),
                             list->items,
                             chm_arena_alloc(arena, channels, sizeof *graph->waits),
                             chm_arena_alloc(arena, channels, sizeof *graph->queue),
                             chm_arena_alloc(arena, channels, sizeof *graph->before),
                             chm_arena_alloc(arena, channels, sizeof *graph->length)};
    if (graph->first == NULL || graph->waits == NULL || graph->queue == NULL ||
        graph->before == NULL || graph->length == NULL) {
        return chm_no_memory;
    }
    for (size_t i = 0; i < list->count; ++i) {
        graph->first[(list->items[i] >> 32) + 1]++;
        graph->waits[(uint32_t)list->items[i]]++;
    }
    for (uint32_t c = 0; c < channels; ++c) {
        graph->first[c + 1] += graph->first[c];
    }
    return chm_ok;
}

// Takes out, again and again, what nobody waits for. Returns how many are left: those on circles,
// and what leads on from there.
static uint32_t peel(channel_graph* graph) {
    uint32_t found = 0;
    for (uint32_t c = 0; c < graph->channels; ++c) {
        if (graph->waits[c] == 0) {
            graph->queue[found++] = c;
        }
    }
    for (uint32_t taken = 0; taken < found; ++taken) {
        uint32_t c = graph->queue[taken];
        for (size_t i = graph->first[c]; i < graph->first[c + 1]; ++i) {
            uint32_t next = (uint32_t)graph->all[i];
            if (--graph->waits[next] == 0) {
                graph->queue[found++] = next;
            }
        }
    }
    return graph->channels - found;
}

// The length of the shortest circle through a channel, 0 if there is none; `before` leads back.
static uint32_t circle_through(channel_graph* graph, uint32_t start) {
    memset(graph->length, 0, graph->channels * sizeof *graph->length);
    uint32_t found = 0;
    graph->queue[found++] = start;
    for (uint32_t taken = 0; taken < found; ++taken) {
        uint32_t c = graph->queue[taken];
        for (size_t i = graph->first[c]; i < graph->first[c + 1]; ++i) {
            uint32_t next = (uint32_t)graph->all[i];
            if (graph->length[next] == 0 && graph->waits[next] > 0) {
                graph->length[next] = (c == start ? 0 : graph->length[c]) + 1;
                graph->before[next] = c;
                if (next == start) {
                    return graph->length[start];
                }
                graph->queue[found++] = next;
            }
        }
    }
    return 0;
}

// A channel of a short circle, which has been searched last; its length is set.
static uint32_t choose_start(channel_graph* graph, uint32_t* length) {
    uint32_t best = 0;
    uint32_t tried = 0;
    *length = 0;
    for (uint32_t c = 0; c < graph->channels && (tried < most_starts || *length == 0); ++c) {
        if (graph->waits[c] == 0) {
            continue;
        }
        uint32_t through = circle_through(graph, c);
        tried++;
        if (through != 0 && (*length == 0 || through < *length)) {
            *length = through;
            best = c;
        }
    }
    *length = circle_through(graph, best);
    return best;
}

typedef struct naming {
    uint32_t classes, count, named;
    chm_route_channel* channels;
} naming;

// Whose packets hold a channel of the circle and ask for the next one: the first that are found.
static bool name_packets(void* context, dependency item, const chm_route_key* key) {
    naming* in = context;
    for (uint32_t i = 0; i < in->count; ++i) {
        chm_route_channel* one = &in->channels[i];
        const chm_route_channel* next = &in->channels[(i + 1) % in->count];
        if (one->source == UINT32_MAX &&
            item == from_to(one->link * in->classes + one->vc_class,
                            next->link * in->classes + next->vc_class)) {
            one->source = key->source;
            one->destination = key->destination;
            in->named++;
        }
    }
    return in->named < in->count;
}

static chm_status name_circle(const chm_topology* t, const channel_graph* graph, uint32_t start,
                              uint32_t count, chm_arena* arena, chm_route_channel** channels) {
    naming in = {t->vc_classes, count, 0, chm_arena_alloc(arena, count, sizeof *in.channels)};
    if (in.channels == NULL) {
        return chm_no_memory;
    }
    uint32_t channel = start;
    for (uint32_t i = count; i-- > 0; channel = graph->before[channel]) {
        // `before` leads backwards from the start, which stands first.
        in.channels[(i + 1) % count] = (chm_route_channel){
            channel / t->vc_classes, channel % t->vc_classes, UINT32_MAX, UINT32_MAX};
    }
    *channels = in.channels;
    return walk_all(t, arena, name_packets, &in);
}

chm_status chm_route_circle(const chm_topology* topology, chm_arena* arena,
                            const chm_route_channel** channels, uint32_t* count) {
    *channels = NULL;
    *count = 0;
    if ((uint64_t)topology->link_count * topology->vc_classes >= UINT32_MAX) {
        return chm_overflow;
    }
    dependency_list list = {.arena = arena};
    channel_graph graph;
    chm_status status = walk_all(topology, arena, collect, &list);
    status = status == chm_ok ? list.status : status;
    if (status == chm_ok && list.count > 0) {
        sort_and_unite(&list);
        status = build(topology, &list, arena, &graph);
    }
    if (status != chm_ok || list.count == 0 || peel(&graph) == 0) {
        return status;
    }
    chm_route_channel* found = NULL;
    uint32_t start = choose_start(&graph, count);
    status = name_circle(topology, &graph, start, *count, arena, &found);
    *channels = found;
    return status;
}
