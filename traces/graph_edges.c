// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/graph_reader.h"

enum { shown_circle = 8 };

// Equal ids (a fault) stay in the order of the file, so that the first one is kept.
static int by_id(const void* a, const void* b) {
    const chm_graph_record* x = a;
    const chm_graph_record* y = b;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_value(const void* a, const void* b) {
    uint32_t x = *(const uint32_t*)a;
    uint32_t y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

static void sort_records(chm_graph_reader* in) {
    if (in->record_count > 1) {
        qsort(in->records, in->record_count, sizeof *in->records, by_id);
    }
    for (size_t i = 1; i < in->record_count; ++i) {
        if (in->records[i].id == in->records[i - 1].id) {
            chm_graph_fault(in, in->records[i].line, 1,
                            "key 'id': got '%" PRIu64 "', which line %" PRIu32
                            " has; allowed: each id once",
                            in->records[i].id, in->records[i - 1].line);
        }
    }
}

// The index of an id, UINT32_MAX if there is none.
static uint32_t find(const chm_graph_reader* in, uint64_t id) {
    size_t low = 0;
    size_t high = in->record_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in->records[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < in->record_count && in->records[low].id == id ? (uint32_t)low : UINT32_MAX;
}

// Ids of one record's `after` into indices, ascending. Returns how many.
static size_t resolve(chm_graph_reader* in, const chm_graph_record* record, uint32_t* indices) {
    const chm_graph_after* after = in->after + record->first_after;
    size_t count = 0;
    for (size_t a = 0; a < record->after_count; ++a) {
        uint32_t index = find(in, after[a].id);
        if (index == UINT32_MAX) {
            chm_graph_fault(in, record->line, after[a].column,
                            "key 'after': got '%" PRIu64 "'; allowed: ids of this file",
                            after[a].id);
        } else {
            indices[count++] = index;
        }
    }
    if (count > 1) {
        qsort(indices, count, sizeof *indices, by_value);
    }
    for (size_t a = 1; a < count; ++a) {
        if (indices[a] == indices[a - 1]) {
            chm_graph_fault(in, record->line, after[0].column,
                            "key 'after': got '%" PRIu64 "' twice; allowed: each id once",
                            in->records[indices[a]].id);
        }
    }
    return count;
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

static chm_status turn_round(chm_graph_reader* in, const chm_graph* graph, edges* e) {
    size_t nodes = graph->node_count;
    size_t edge_count = graph->first_after[nodes];
    e->waits = chm_arena_alloc(&in->scratch, nodes, sizeof *e->waits);
    e->first_dependent = chm_arena_alloc(&in->scratch, nodes + 2, sizeof *e->first_dependent);
    e->dependents = chm_arena_alloc(&in->scratch, edge_count, sizeof *e->dependents);
    e->removed = chm_arena_alloc(&in->scratch, nodes, sizeof *e->removed);
    e->seen = chm_arena_alloc(&in->scratch, nodes, sizeof *e->seen);
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
        snprintf(text + length, sizeof text - length, " after %" PRIu64, in->records[at].id);
    }
    chm_graph_fault(in, in->records[node].line, 1,
                    "key 'after': a circle, %" PRIu64 "%s%s; allowed: no circles",
                    in->records[node].id, text, at == node ? "" : " ...");
}

// Removes what waits for nothing until nothing is left; what is left is on or behind a circle.
static chm_status check_circles(chm_graph_reader* in, const chm_graph* graph) {
    edges e;
    chm_status status = turn_round(in, graph, &e);
    if (status != chm_ok) {
        return status;
    }
    uint32_t count = 0;
    for (uint32_t n = 0; n < graph->node_count; ++n) {
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
    for (uint32_t n = 0; n < graph->node_count && count < graph->node_count; ++n) {
        if (e.waits[n] != 0) {
            name_circle(in, graph, &e, n);
            break;
        }
    }
    return chm_ok;
}

chm_status chm_graph_link(chm_graph_reader* in, chm_arena* arena, chm_graph* graph,
                          const uint64_t** ids) {
    sort_records(in);
    size_t count = in->record_count;
    chm_graph_node* nodes = chm_arena_alloc(arena, count, sizeof *nodes);
    uint64_t* first_after = chm_arena_alloc(arena, count + 1, sizeof *first_after);
    uint32_t* after = chm_arena_alloc(arena, in->after_count, sizeof *after);
    uint64_t* file_ids = chm_arena_alloc(arena, count, sizeof *file_ids);
    if (nodes == NULL || first_after == NULL || after == NULL || file_ids == NULL) {
        return chm_no_memory;
    }
    for (size_t n = 0; n < count; ++n) {
        nodes[n] = in->records[n].node;
        file_ids[n] = in->records[n].id;
        first_after[n + 1] = first_after[n] + resolve(in, &in->records[n], after + first_after[n]);
    }
    *graph = (chm_graph){nodes, (uint32_t)count, first_after, after};
    if (ids != NULL) {
        *ids = file_ids;
    }
    return in->faults == 0 ? check_circles(in, graph) : chm_ok;
}
