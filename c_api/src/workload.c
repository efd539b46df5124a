// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/workload.h"

#include "traces/driver.h"

chm_status chm_api_drive(const chm_platform* platform, const chm_program* program, bool engine,
                         chm_arena* arena, chm_workload* workload, chm_diagnostics* diagnostics) {
    uint32_t dies = platform->topology.dies;
    if (engine) {
        return chm_drive(program, dies, arena, workload, diagnostics);
    }
    const chm_tables* tables = &program->tables;
    chm_communicator* narrow =
        chm_arena_copy(arena, tables->communicators, tables->communicator_count, sizeof *narrow);
    chm_program* unfused = chm_arena_copy(arena, program, 1, sizeof *unfused);
    if (narrow == NULL || unfused == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < tables->communicator_count; ++i) {
        narrow[i].window_depth = 1;
    }
    unfused->tables.communicators = narrow;
    return chm_drive(unfused, dies, arena, workload, diagnostics);
}
