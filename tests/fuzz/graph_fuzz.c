// SPDX-License-Identifier: Apache-2.0
// A graph is refused with a message, or has sound nodes.
#include "tests/fuzz/fuzz.h"
#include "traces/graph.h"

enum { dies = 25 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    chm_arena arena;
    chm_diagnostics diagnostics;
    chm_graph graph = {0};
    chm_arena_init(&arena);
    chm_diagnostics_init(&diagnostics);
    chm_status status =
        chm_graph_read(fuzz_file(data, size), dies, &arena, &graph, NULL, &diagnostics);
    FUZZ_HOLDS((status == chm_ok) == (diagnostics.errors == 0));
    for (uint32_t n = 0; status == chm_ok && n < graph.node_count; ++n) {
        FUZZ_HOLDS(graph.nodes[n].die < dies);
        FUZZ_HOLDS(graph.nodes[n].kind != chm_graph_send || graph.nodes[n].destination < dies);
        for (uint64_t i = graph.first_after[n]; i < graph.first_after[n + 1]; ++i) {
            FUZZ_HOLDS(graph.after[i] < graph.node_count && graph.after[i] != n);
        }
    }
    chm_diagnostics_free(&diagnostics);
    chm_arena_free(&arena);
    return 0;
}
