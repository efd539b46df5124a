// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/workload.h"
#include "traces/program.h"

// The driver: has the common list, works out the facts of every operation and what each die queues.

#ifdef __cplusplus
extern "C" {
#endif

// Computes facts, domains and streams. Refuses a program whose reader stands after the write that
// overwrites what it reads, a collective whose input layout does not follow from what was produced,
// and cyclic or missing operands. Everything lives in the arena; `program` must outlive *workload.
chm_status chm_drive(const chm_program* program, uint32_t dies, chm_arena* arena,
                     chm_workload* workload, chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
