// SPDX-License-Identifier: Apache-2.0
// The rates of the yardsticks on their own.
#include "bench/bench.h"
#include "bench/yardsticks.h"

namespace chimera::bench {

namespace {

void show(benchmark::State& state, yardstick& subject, const char* what) {
    progress all;
    for (auto _ : state) {
        all += subject.slice();
    }
    state.counters[what] = all.rate();
}

// Arguments: modules, bytes of state of each.
void kernel_wakeups(benchmark::State& state) {
    wakeups subject(state.range(0), state.range(1));
    show(state, subject, "wakeups");
}

void b_transport_chain(benchmark::State& state) {
    chain subject(state.range(0));
    show(state, subject, "calls");
}

} // namespace

BENCHMARK(kernel_wakeups)
    ->ArgsProduct({{64, 1024, 4096}, {0, 4096}})
    ->ArgNames({"modules", "state"})
    ->Iterations(50);
BENCHMARK(b_transport_chain)->Arg(16)->ArgName("modules")->Iterations(50);

} // namespace chimera::bench
