// SPDX-License-Identifier: Apache-2.0
// Bytes as a sequence of calls on a few handles: no order of calls does harm, and what a handle
// says stays consistent.
#include "chimera.h"
#include "tests/fuzz/fuzz.h"

enum { handles = 3, most_calls = 40 };

typedef struct state {
    const uint8_t* data;
    size_t size;
    chm_platform* platform;
    chm_program* program;
    chm_simulation* simulations[handles];
    uint64_t reached_ps[handles];
} state;

static uint8_t next(state* in) {
    uint8_t byte = in->size > 0 ? *in->data : 0;
    in->data += in->size > 0;
    in->size -= in->size > 0;
    return byte;
}

static void open_all(state* in) {
    static const char* const platforms[] = {"torus_2x2x2", "fat_tree_2x8", "ring_8", "two_racks"};
    static const char* const programs[] = {"tp_sp", "tp_pp", "sp_ep", "sp_pp"};
    chm_settings* settings = NULL;
    FUZZ_HOLDS(chm_settings_create(&settings) == chm_ok);
    chm_settings_set(settings, "message_bytes", next(in) % 2 ? "4KiB" : "16KiB");
    chm_settings_set(settings, "watchdog_cycles", "100000");
    chm_settings_set(settings, "fidelity", next(in) % 2 ? "at" : "lt");
    FUZZ_HOLDS(chm_platform_load(&in->platform, platforms[next(in) % 4], settings) == chm_ok);
    FUZZ_HOLDS(chm_program_load(&in->program, in->platform, programs[next(in) % 4], settings, 1) ==
               chm_ok);
    chm_settings_free(settings);
}

static void create(state* in, uint32_t handle) {
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.engine = next(in) % 2;
    options.data = next(in) % 2;
    options.stall_probability = next(in) % 4 == 0 ? 0.2 : 0;
    options.struct_size -= next(in) == 255;
    if (in->simulations[handle] == NULL) {
        chm_status status =
            chm_simulation_create(&in->simulations[handle], in->platform, in->program, &options);
        FUZZ_HOLDS((status == chm_ok) == (in->simulations[handle] != NULL));
        in->reached_ps[handle] = 0;
    }
}

static void look(state* in, uint32_t handle) {
    chm_result result = CHM_RESULT_INIT;
    chm_die_counters counters = CHM_DIE_COUNTERS_INIT;
    chm_report* report = NULL;
    uint64_t time_ps = 0;
    uint32_t finished = 0;
    chm_simulation* simulation = in->simulations[handle];
    chm_simulation_result(simulation, &result);
    chm_simulation_die(simulation, next(in), &counters);
    if (chm_simulation_time(simulation, &time_ps, NULL, &finished) == chm_ok) {
        FUZZ_HOLDS(time_ps >= in->reached_ps[handle] || finished);
        in->reached_ps[handle] = time_ps;
    }
    chm_simulation_statistics(&report, simulation);
    chm_report_free(report);
}

static void call(state* in) {
    const uint8_t what = next(in);
    const uint32_t handle = what / 8 % handles;
    switch (what % 8) {
    case 0:
    case 1: create(in, handle); break;
    case 2:
    case 3:
        // Also before the present, which does nothing, and without a handle, which is refused.
        chm_simulation_run_until(in->simulations[handle], (uint64_t)next(in) * 50000);
        break;
    case 4: chm_simulation_run(in->simulations[handle]); break;
    case 5: look(in, handle); break;
    default:
        chm_simulation_free(in->simulations[handle]);
        in->simulations[handle] = NULL;
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    state in = {.data = data, .size = size};
    open_all(&in);
    for (int calls = 0; calls < most_calls && in.size > 0; ++calls) {
        call(&in);
    }
    for (uint32_t handle = 0; handle < handles; ++handle) {
        chm_simulation_free(in.simulations[handle]);
    }
    chm_program_free(in.program);
    chm_platform_free(in.platform);
    return 0;
}
