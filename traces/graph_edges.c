// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/graph_reader.h"

enum { shown_circle = 8 };

// Nodes in the order of the file, to be sorted: an equal id (a fault) stays behind the first.
typedef struct keyed {
    uint64_t id;
    uint32_t node;
} keyed;

static int by_id(const void* a, const void* b) {
    const keyed* x = a;
    const keyed* y = b;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

static int by_value(const void* a, const void* b) {
    uint32_t x = *(const uint32_t*)a;
    uint32_t y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

uint32_t chm_graph_find(const chm_graph_reader* in, uint64_t id) {
    size_t low = 0;
    size_t high = in->count;
    // Ids without gaps, the usual case.
    if (high != 0 && id >= in->ids[0] && id - in->ids[0] < high && in->ids[id - in->ids[0]] == id) {
        return (uint32_t)(id - in->ids[0]);
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < in->count && in->ids[low] == id ? (uint32_t)low : UINT32_MAX;
}

static void refuse_equal_ids(chm_graph_reader* in) {
    for (size_t i = 1; i < in->count; ++i) {
        if (in->ids[i] == in->ids[i - 1]) {
            chm_graph_fault(in, in->lines[i], 1,
                            "key 'id': got '%" PRIu64 "', which line %" PRIu32
                            " has; allowed: each id once",
                            in->ids[i], in->lines[i - 1]);
        }
    }
}

// The arrays in the order `sorted`. Dependencies are pending as far as they are not on nodes that
// came before the first id that was out of order, and those move, too: `place` says where.
static chm_status reorder(chm_graph_reader* in, const keyed* sorted, uint32_t* place) {
    chm_graph_reader old = *in;
    in->nodes = malloc(old.capacity * sizeof *in->nodes);
    in->ids = malloc(old.capacity * sizeof *in->ids);
    in->lines = malloc(old.capacity * sizeof *in->lines);
    in->first_after = malloc(old.capacity * sizeof *in->first_after);
    in->after = malloc((old.after_capacity + 1) * sizeof *in->after); // never of nothing
    const bool enough = in->nodes != NULL && in->ids != NULL && in->lines != NULL &&
                        in->first_after != NULL && in->after != NULL;
    for (size_t i = 0; i < old.count && enough; ++i) {
        place[sorted[i].node] = (uint32_t)i;
    }
    size_t after_count = 0;
    for (size_t i = 0; i < old.count && enough; ++i) {
        const uint32_t n = sorted[i].node;
        in->nodes[i] = old.nodes[n];
        in->ids[i] = old.ids[n];
        in->lines[i] = old.lines[n];
        in->first_after[i] = after_count;
        for (uint64_t a = old.first_after[n]; a < old.first_after[n + 1]; ++a) {
            const uint32_t index = old.after[a];
            in->after[after_count++] = index == UINT32_MAX ? index : place[index];
        }
    }
    for (size_t p = 0; p < in->pending_count && enough; ++p) {
        chm_graph_pending* item = &in->pending[p];
        const uint64_t offset = item->slot - old.first_after[item->node];
        item->node = place[item->node];
        item->slot = in->first_after[item->node] + offset;
    }
    if (enough) {
        in->first_after[old.count] = after_count;
    }
    free(old.nodes);
    free(old.ids);
    free(old.lines);
    free(old.first_after);
    free(old.after);
    return enough ? chm_ok : chm_no_memory;
}

static chm_status sort_nodes(chm_graph_reader* in) {
    keyed* sorted = malloc(in->count * sizeof *sorted);
    uint32_t* place = malloc(in->count * sizeof *place);
    chm_status status = chm_no_memory;
    if (sorted != NULL && place != NULL) {
        for (size_t i = 0; i < in->count; ++i) {
            sorted[i] = (keyed){in->ids[i], (uint32_t)i};
        }
        qsort(sorted, in->count, sizeof *sorted, by_id);
        status = reorder(in, sorted, place);
    }
    free(sorted);
    free(place);
    if (status == chm_ok) {
        refuse_equal_ids(in);
    }
    return status;
}

static int by_line(const void* a, const void* b) {
    const chm_graph_pending* x = a;
    const chm_graph_pending* y = b;
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    return x->column < y->column ? -1 : x->column > y->column;
}

static void resolve_pending(chm_graph_reader* in) {
    if (in->pending_count > 1) {
        qsort(in->pending, in->pending_count, sizeof *in->pending, by_line);
    }
    for (size_t p = 0; p < in->pending_count; ++p) {
        const chm_graph_pending* item = &in->pending[p];
        const uint32_t index = chm_graph_find(in, item->id);
        in->after[item->slot] = index;
        if (index == UINT32_MAX) {
            chm_graph_fault(in, in->lines[item->node], item->column,
                            "key 'after': got '%" PRIu64 "'; allowed: ids of this file", item->id);
        }
    }
}

// Each node's dependencies ascending. True if one is on a node that is no earlier: only then can
// there be circles.
static bool sort_after(chm_graph_reader* in) {
    bool later = false;
    for (size_t n = 0; n < in->count && in->after != NULL; ++n) { // null: nobody waits
        uint32_t* first = in->after + in->first_after[n];
        const size_t count = in->first_after[n + 1] - in->first_after[n];
        for (size_t i = 1; i < count; ++i) {
            if (first[i] < first[i - 1]) {
                qsort(first, count, sizeof *first, by_value);
                break;
            }
        }
        later = later || (count != 0 && first[count - 1] >= n);
    }
    return later;
}

// What the check for circles works on: every node's number of dependencies not yet removed, and the
// edges the other way round.
typedef struct edges {
    uint32_t* waits;
    uint64_t* first_dependent; // [nodes + 1]
    uint32_t* dependents;
    uint32_t* removed; // in order
    uint8_t* seen;
} edges;

static chm_status turn_round(const chm_graph* graph, chm_arena* scratch, edges* e) {
    size_t nodes = graph->node_count;
    size_t edge_count = graph->first_after[nodes];
    e->waits = chm_arena_alloc(scratch, nodes, sizeof *e->waits);
    e->first_dependent = chm_arena_alloc(scratch, nodes + 2, sizeof *e->first_dependent);
    e->dependents = chm_arena_alloc(scratch, edge_count, sizeof *e->dependents);
    e->removed = chm_arena_alloc(scratch, nodes, sizeof *e->removed);
    e->seen = chm_arena_alloc(scratch, nodes, sizeof *e->seen);
    if (e->waits == NULL || e->first_dependent == NULL || e->dependents == NULL ||
        e->removed == NULL || e->seen == NULL) {
        return chm_no_memory;
    }
    // Counted two places up, summed one place up: filling moves each start to where it belongs.
    for (size_t i = 0; i < edge_count; ++i) {
        e->first_dependent[graph->after[i] + 2]++;
    }
    for (size_t n = 2; n < nodes + 2; ++n) {
        e->first_dependent[n] += e->first_dependent[n - 1];
    }
    for (uint32_t n = 0; n < nodes; ++n) {
        e->waits[n] = (uint32_t)(graph->first_after[n + 1] - graph->first_after[n]);
        for (uint64_t i = graph->first_after[n]; i < graph->first_after[n + 1]; ++i) {
            e->dependents[e->first_dependent[graph->after[i] + 1]++] = n;
        }
    }
    return chm_ok;
}

// One of the dependencies that keep a node waiting; it has one, or it would have been removed.
static uint32_t blocker(const chm_graph* graph, const edges* e, uint32_t node) {
    const uint32_t* before = graph->after + graph->first_after[node];
    while (e->waits[*before] == 0) {
        before++;
    }
    return *before;
}

// Walks back from a node on or behind a circle until a node comes up again, and names the circle.
static void name_circle(chm_graph_reader* in, const chm_graph* graph, const edges* e,
                        uint32_t node) {
    while (!e->seen[node]) {
        e->seen[node] = 1;
        node = blocker(graph, e, node);
    }
    char text[shown_circle * 32] = "";
    uint32_t at = node;
    for (uint32_t shown = 0; shown < shown_circle && (shown == 0 || at != node); ++shown) {
        at = blocker(graph, e, at);
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " after %" PRIu64, in->ids[at]);
    }
    chm_graph_fault(in, in->lines[node], 1,
                    "key 'after': a circle, %" PRIu64 "%s%s; allowed: no circles", in->ids[node],
                    text, at == node ? "" : " ...");
}

// Removes what waits for nothing until nothing is left; what is left is on or behind a circle.
static chm_status check_circles(chm_graph_reader* in, const chm_graph* graph) {
    edges e;
    chm_arena scratch;
    chm_arena_init(&scratch);
    chm_status status = turn_round(graph, &scratch, &e);
    uint32_t count = 0;
    for (uint32_t n = 0; n < graph->node_count && status == chm_ok; ++n) {
        if (e.waits[n] == 0) {
            e.removed[count++] = n;
        }
    }
    for (uint32_t next = 0; next < count; ++next) {
        uint32_t node = e.removed[next];
        for (uint64_t i = e.first_dependent[node]; i < e.first_dependent[node + 1]; ++i) {
            if (--e.waits[e.dependents[i]] == 0) {
                e.removed[count++] = e.dependents[i];
            }
        }
    }
    for (uint32_t n = 0; n < graph->node_count && count < graph->node_count && status == chm_ok;
         ++n) {
        if (e.waits[n] != 0) {
            name_circle(in, graph, &e, n);
            break;
        }
    }
    chm_arena_free(&scratch);
    return status;
}

chm_status chm_graph_link(chm_graph_reader* in, chm_arena* arena, chm_graph* graph) {
    chm_status status = in->ascending ? chm_ok : sort_nodes(in);
    if (status != chm_ok) {
        return status;
    }
    resolve_pending(in);
    const bool later = in->faults == 0 && sort_after(in);
    // One array after the other, so that little is there twice.
    const uint64_t no_edges[] = {0};
    chm_graph_node* nodes = chm_arena_copy(arena, in->nodes, in->count, sizeof *nodes);
    free(in->nodes);
    in->nodes = NULL;
    uint32_t* after = chm_arena_copy(arena, in->after, in->after_count, sizeof *after);
    free(in->after);
    in->after = NULL;
    uint64_t* ids = chm_arena_copy(arena, in->ids, in->count, sizeof *ids);
    uint64_t* first_after = chm_arena_copy(arena, in->count == 0 ? no_edges : in->first_after,
                                           in->count + 1, sizeof *first_after);
    if (nodes == NULL || first_after == NULL || after == NULL || ids == NULL) {
        return chm_no_memory;
    }
    *graph = (chm_graph){nodes, (uint32_t)in->count, first_after, after, ids};
    return later ? check_circles(in, graph) : chm_ok;
}
