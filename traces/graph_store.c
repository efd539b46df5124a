// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>

#include "traces/graph_reader.h"

// Keeps what lines say.

// Room for one more item in an array that grows by half.
static chm_status grow(void** items, size_t* capacity, size_t count, size_t size) {
    if (count < *capacity) {
        return chm_ok;
    }
    size_t wanted = *capacity < 16 ? 16 : *capacity + *capacity / 2;
    void* grown = wanted <= SIZE_MAX / size ? realloc(*items, wanted * size) : NULL;
    if (grown == NULL) {
        return chm_no_memory;
    }
    *items = grown;
    *capacity = wanted;
    return chm_ok;
}

static int by_id(const void* a, const void* b) {
    uint64_t x = ((const chm_graph_named*)a)->id;
    uint64_t y = ((const chm_graph_named*)b)->id;
    return x < y ? -1 : x > y;
}

static void refuse_repeated(chm_graph_reader* in, uint32_t line, size_t count) {
    const uint32_t column = in->named[0].column;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; ++i) {
        sorted = in->named[i - 1].id < in->named[i].id;
    }
    if (sorted) {
        return;
    }
    qsort(in->named, count, sizeof *in->named, by_id);
    for (size_t i = 1; i < count; ++i) {
        if (in->named[i].id == in->named[i - 1].id) {
            chm_graph_fault(in, line, column,
                            "key 'after': got '%" PRIu64 "' twice; allowed: each id once",
                            in->named[i].id);
        }
    }
}

// Most dependencies are on lines further up, and are indices at once.
static chm_status add_after(chm_graph_reader* in, const chm_graph_named* named) {
    void* after = in->after;
    if (grow(&after, &in->after_capacity, in->after_count, sizeof *in->after) != chm_ok) {
        return chm_no_memory;
    }
    in->after = after;
    uint32_t index = in->ascending ? chm_graph_find(in, named->id) : UINT32_MAX;
    in->after[in->after_count++] = index;
    if (index != UINT32_MAX) {
        return chm_ok;
    }
    void* pending = in->pending;
    if (grow(&pending, &in->pending_capacity, in->pending_count, sizeof *in->pending) != chm_ok) {
        return chm_no_memory;
    }
    in->pending = pending;
    in->pending[in->pending_count++] =
        (chm_graph_pending){named->id, in->after_count - 1, (uint32_t)in->count, named->column};
    return chm_ok;
}

chm_status chm_graph_name(chm_graph_reader* in, size_t count, chm_graph_named item) {
    void* named = in->named;
    if (grow(&named, &in->named_capacity, count, sizeof item) != chm_ok) {
        return chm_no_memory;
    }
    in->named = named;
    in->named[count] = item;
    return chm_ok;
}

chm_status chm_graph_add_after(chm_graph_reader* in, uint32_t line, size_t count) {
    if (count > 1) {
        refuse_repeated(in, line, count);
    }
    chm_status status = chm_ok;
    for (size_t i = 0; i < count && status == chm_ok; ++i) {
        status = add_after(in, &in->named[i]);
    }
    return status;
}

static chm_status grow_nodes(chm_graph_reader* in) {
    void* arrays[] = {in->nodes, in->ids, in->first_after, in->lines};
    const size_t sizes[] = {sizeof *in->nodes, sizeof *in->ids, sizeof *in->first_after,
                            sizeof *in->lines};
    size_t capacity = in->capacity;
    chm_status status = chm_ok;
    for (int i = 0; i < 4; ++i) {
        capacity = in->capacity;
        // One more: first_after has an end.
        chm_status grown = grow(&arrays[i], &capacity, in->count + 1, sizes[i]);
        status = status == chm_ok ? grown : status;
    }
    in->nodes = arrays[0];
    in->ids = arrays[1];
    in->first_after = arrays[2];
    in->lines = arrays[3];
    in->capacity = status == chm_ok ? capacity : in->capacity;
    return status;
}

chm_status chm_graph_add_node(chm_graph_reader* in, uint32_t line, uint64_t id,
                              const chm_graph_node* node) {
    if (grow_nodes(in) != chm_ok) {
        return chm_no_memory;
    }
    in->ascending = in->ascending && (in->count == 0 || in->ids[in->count - 1] < id);
    in->nodes[in->count] = *node;
    in->ids[in->count] = id;
    in->lines[in->count] = line;
    in->first_after[0] = 0;
    in->first_after[++in->count] = in->after_count;
    return chm_ok;
}

void chm_graph_reader_free(chm_graph_reader* in) {
    free(in->nodes);
    free(in->ids);
    free(in->first_after);
    free(in->lines);
    free(in->after);
    free(in->pending);
    free(in->named);
}
