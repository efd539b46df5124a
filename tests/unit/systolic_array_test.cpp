// SPDX-License-Identifier: Apache-2.0
#include "hw/compute/systolic_array.h"

#include <gtest/gtest.h>

#include "hw/kernel/context.h"
#include "tests/support/driven_program.h"

using chimera::compute::systolic_array;
using chimera::test::driven_program;

namespace {

// Two computes on one value: 1000 cycles each, in order.
const char* const two_computes = R"(name: two
tensors:
  activation: {}
meshes:
  stage: {place: block of 2x2, dims: {tp: all}}
layouts:
  complete: {mesh: stage, tp: replicate}
inputs:
  x: {tensor: activation, layout: complete}
operations:
  - compute: {name: first, class: opaque, reads: {x: complete}, writes: {y: complete}, cycles: 1000}
  - compute: {name: second, class: opaque, reads: {y: complete}, cycles: 1000}
)";

class bench : public sc_core::sc_module, public chimera::compute::tile_client {
public:
    SC_HAS_PROCESS(bench);

    bench(const sc_core::sc_module_name& name, const chimera::compute::array_context& context,
          uint64_t at_, uint64_t cycles_)
        : sc_module(name), array("array", context), at(at_), cycles(cycles_),
          m_wakeup("wakeup", context.clock_khz) {
        SC_METHOD(activate);
        sensitive << m_wakeup.event();
        dont_initialize();
        if (cycles != 0) {
            m_wakeup.at(at);
        }
    }

    void tile_work_done(uint64_t, uint64_t now) override { done_at = now; }

    systolic_array array;
    uint64_t at, cycles, done_at = 0;

private:
    void activate() { array.put_between_tiles(1, cycles, *this, m_wakeup.fired()); }

    chimera::kernel::wakeup m_wakeup;
};

struct outcome {
    uint64_t work_done, second_done, busy;
};

// Runs both computes, with work of `cycles` put between tiles at cycle `at`.
outcome run(const chm_compute_params& params, uint64_t at, uint64_t cycles) {
    driven_program driven("mesh_5x5", two_computes);
    EXPECT_EQ(driven.faults, "");
    chimera::memory::use_table uses(driven.workload);
    chimera::memory::value_store values(uses, 0, false);
    chimera::compute::activity_meter meter;
    chimera::kernel::context kernel;
    chimera::kernel::context::entry inside(kernel);
    chimera::compute::array_context context;
    context.params = &params;
    context.values = &values;
    context.meter = &meter;
    bench* made = nullptr;
    const auto built = kernel.build([&] {
        made = &kernel.own(std::make_unique<bench>("bench", context, at, cycles));
        made->array.push(0, 0);
        made->array.push(1, 0);
    });
    EXPECT_EQ(built.status, chm_ok) << built.text;
    EXPECT_EQ(kernel.run(UINT64_MAX).status, chm_ok);
    EXPECT_TRUE(made->array.idle());
    return {made->done_at, made->array.last_completion(), meter.compute_busy_cycles()};
}

TEST(systolic_array, computes_follow_one_another) {
    const outcome o = run({256, 256}, 0, 0);
    EXPECT_EQ(o.second_done, 2000u);
    EXPECT_EQ(o.busy, 2000u);
}

// A tile is 256 + 256 = 512 cycles. Work of 100 cycles put in at 10 starts at 512 and ends at 612;
// both computes end 100 cycles later.
TEST(systolic_array, work_goes_between_tiles) {
    const outcome o = run({256, 256}, 10, 100);
    EXPECT_EQ(o.work_done, 612u);
    EXPECT_EQ(o.second_done, 2100u);
}

// A smaller array has shorter tiles: 16 + 16 = 32 cycles, so work starts at 32.
TEST(systolic_array, smaller_arrays_have_shorter_tiles) {
    EXPECT_EQ(run({16, 16}, 10, 100).work_done, 132u);
    EXPECT_EQ(run({16, 240}, 10, 100).work_done, 356u);
}

// Put in at 1990, in the last tile of the second compute (1000 + 512 .. ): it starts when that
// ends.
TEST(systolic_array, work_in_the_last_tile_waits_for_its_end) {
    const outcome o = run({256, 256}, 1990, 100);
    EXPECT_EQ(o.work_done, 2100u);
    EXPECT_EQ(o.second_done, 2100u); // the array's last completion is the work's
    EXPECT_EQ(o.busy, 2000u);
}

// On an idle array it starts at once.
TEST(systolic_array, idle_array_takes_work_at_once) {
    EXPECT_EQ(run({256, 256}, 3000, 7).work_done, 3007u);
}

} // namespace
