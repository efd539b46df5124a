// SPDX-License-Identifier: Apache-2.0
// The fabric at work on square meshes, elaboration apart: packet-hops per CPU second approximately
// timed, message-hops loosely timed, each beside what it is measured by.
#include <cmath>
#include <memory>
#include <string>

#include "bench/bench.h"
#include "bench/machine.h"
#include "bench/workloads.h"
#include "bench/yardsticks.h"

namespace chimera::bench {

namespace {

// Elaboration leaves a small machine in the caches and a large one outside. What is compared across
// sizes for its routers' work, not their memory, starts with neither.
void empty_caches() {
    static std::vector<uint64_t> other(size_t(64) << 17); // 64 MiB
    for (size_t i = 0; i < other.size(); i += 8) {
        ++other[i];
    }
    benchmark::ClobberMemory();
}

// Approximately timed, a hop is measured by a wake-up of a kernel with as many modules of 4 KiB;
// loosely timed, by a call in a chain.
std::unique_ptr<yardstick> measure_of(chm_fidelity fidelity, int64_t dies) {
    if (fidelity == chm_fidelity_lt) {
        return std::make_unique<chain>(16);
    }
    return std::make_unique<wakeups>(dies, 4096);
}

// Plays a workload once per iteration, in slices between which the measure has its turns.
void play(benchmark::State& state, chm_fidelity fidelity, const std::string& workload,
          const mesh& platform, const message_list& messages, yardstick& measure) {
    constexpr double slice_seconds = 0.25;
    const chm_graph graph = messages.graph();
    pairs& all = noted(workload + (fidelity == chm_fidelity_lt ? ", lt" : ""), state.range(0));
    double events = 0, elaboration = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto ready = std::make_unique<machine>(platform, graph, fidelity);
        elaboration = ready->elaboration_seconds();
        progress ours, theirs;
        while (!ready->finished()) {
            state.ResumeTiming();
            ours.seconds += ready->run(slice_seconds);
            state.PauseTiming();
            do {
                theirs += measure.slice();
            } while (theirs.seconds < ours.seconds / 4);
        }
        ours.work = ready->hops();
        events = ready->events() / ours.work;
        all.add(ours, theirs);
        ready.reset();
        state.ResumeTiming();
    }
    state.counters["hops/s"] = all.ours();
    state.counters["measure/s"] = all.measure();
    state.counters["ratio"] = all.ratio();
    state.counters["events/hop"] = events;
    state.counters["elaborate_s"] = elaboration;
    state.counters["peak_MB"] = peak_megabytes();
}

void play(benchmark::State& state, chm_fidelity fidelity, const std::string& workload,
          const mesh& platform, const message_list& messages) {
    play(state, fidelity, workload, platform, messages, *measure_of(fidelity, state.range(0)));
}

// CPU seconds of a machine that plays `messages`.
double seconds_of(const mesh& platform, const message_list& messages, bool cold) {
    const chm_graph graph = messages.graph();
    machine ready(platform, graph, chm_fidelity_at);
    if (cold) {
        empty_caches();
    }
    return ready.run_to_end();
}

uint32_t side_of(const benchmark::State& state) {
    return static_cast<uint32_t>(std::lround(std::sqrt(static_cast<double>(state.range(0)))));
}

// How often a workload is repeated. Loosely timed, sources call for what they inject within the
// horizon while cycle 0 is run, which counts as elaboration: that must be little of the whole.
uint32_t rounds_of(chm_fidelity fidelity) {
    return fidelity == chm_fidelity_lt ? 8 : 1;
}

// 32 KiB from every die to the next in its row.
void nearest_neighbour(benchmark::State& state, chm_fidelity fidelity) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        messages.send(die, die % platform.side() + 1 < platform.side() ? die + 1 : die - 1, 32768);
    }
    play(state, fidelity, "nearest neighbour", platform, messages);
}

// The same in messages of 1 KiB, 8 KiB from every die per round.
void short_neighbour(benchmark::State& state, chm_fidelity fidelity) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 0; i < 8 * rounds_of(fidelity); ++i) {
            messages.send(die, die % platform.side() + 1 < platform.side() ? die + 1 : die - 1,
                          1024);
        }
    }
    play(state, fidelity, "nearest neighbour, 1 KiB", platform, messages);
}

// 8 KiB from every die per round, 1 KiB each to random others.
void uniform(benchmark::State& state, chm_fidelity fidelity) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 0; i < 8 * rounds_of(fidelity); ++i) {
            messages.send(die, random_other(die, i, platform.dies()), 1024);
        }
    }
    play(state, fidelity, "uniform", platform, messages);
}

// 8 KiB from every die per round, 1 KiB each to dies spread evenly over all, staggered.
void spread_all_to_all(benchmark::State& state, chm_fidelity fidelity) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 0; i < 8 * rounds_of(fidelity); ++i) {
            const uint32_t peer = die + (i % 8 + 1) * (platform.dies() / 9);
            messages.send(die, peer % platform.dies(), 1024);
        }
    }
    play(state, fidelity, "all-to-all, 8 peers", platform, messages);
}

// 1 KiB from every die to every other, staggered. Approximately timed the measure is a kernel of
// 1,024 modules without state.
void all_to_all(benchmark::State& state, chm_fidelity fidelity) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 1; i < platform.dies(); ++i) {
            messages.send(die, (die + i) % platform.dies(), 1024);
        }
    }
    if (fidelity == chm_fidelity_lt) {
        play(state, fidelity, "all-to-all", platform, messages);
    } else {
        wakeups measure(1024, 0);
        play(state, fidelity, "all-to-all", platform, messages, measure);
    }
}

// One message of 1 MiB over 8 links, all other routers idle, on a machine of so many dies; the
// measure is the same on 64 dies, elaborated just before it is run as well.
void one_message(benchmark::State& state, bool cold) {
    const mesh large(side_of(state)), small(8);
    message_list on_large, on_small;
    on_large.send(0, 4 + 4 * large.side(), 1 << 20);
    on_small.send(0, 4 + 4 * small.side(), 1 << 20);
    pairs& all = noted(cold ? "one message, cold" : "one message", state.range(0));
    for (auto _ : state) {
        const double ours = seconds_of(large, on_large, cold);
        all.add({1, ours}, {1, seconds_of(small, on_small, cold)});
    }
    state.counters["us"] = 1e6 / all.ours();
    state.counters["us_64"] = 1e6 / all.measure();
}

// A message of so many MiB over 8 links of 81 dies; the measure is 1 MiB.
void long_message(benchmark::State& state) {
    const mesh platform(9);
    message_list large, small;
    large.send(0, 8, static_cast<uint64_t>(state.range(0)) << 20);
    small.send(0, 8, 1 << 20);
    pairs& all = noted("long message", state.range(0));
    for (auto _ : state) {
        const double ours = seconds_of(platform, large, false);
        all.add({1, ours}, {1, seconds_of(platform, small, false)});
    }
    state.counters["us"] = 1e6 / all.ours();
    state.counters["us_1MiB"] = 1e6 / all.measure();
}

} // namespace

#define CHM_BENCHMARK(name, fidelity)                                                              \
    BENCHMARK_CAPTURE(name, fidelity, chm_fidelity_##fidelity)                                     \
        ->Unit(benchmark::kMillisecond)                                                            \
        ->ArgName("dies")

CHM_BENCHMARK(all_to_all, at)->Arg(64)->Iterations(9);
CHM_BENCHMARK(nearest_neighbour, at)->Arg(64)->Iterations(9);
CHM_BENCHMARK(uniform, at)->Arg(64)->Iterations(9);
CHM_BENCHMARK(spread_all_to_all, at)->Arg(64)->Iterations(9);
// Before the large ones: what they leave in the allocator would be paid for here.
BENCHMARK_CAPTURE(one_message, warm, false)->Arg(4096)->ArgName("dies")->Iterations(7);
BENCHMARK_CAPTURE(one_message, cold, true)->Arg(4096)->ArgName("dies")->Iterations(7);
BENCHMARK(long_message)->Arg(1024)->ArgName("MiB")->Iterations(9);
CHM_BENCHMARK(all_to_all, lt)->Arg(64)->Iterations(9);
CHM_BENCHMARK(short_neighbour, lt)->Arg(64)->Iterations(9);
CHM_BENCHMARK(uniform, lt)->Arg(64)->Iterations(9);
CHM_BENCHMARK(spread_all_to_all, lt)->Arg(64)->Iterations(9);
CHM_BENCHMARK(nearest_neighbour, at)->Arg(1024)->Arg(4096)->Iterations(5);
CHM_BENCHMARK(uniform, at)->Arg(1024)->Iterations(3);
CHM_BENCHMARK(uniform, at)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(spread_all_to_all, at)->Arg(1024)->Iterations(3);
CHM_BENCHMARK(spread_all_to_all, at)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(short_neighbour, lt)->Arg(1024)->Arg(4096)->Iterations(3);
CHM_BENCHMARK(uniform, lt)->Arg(1024)->Iterations(3);
CHM_BENCHMARK(uniform, lt)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(spread_all_to_all, lt)->Arg(1024)->Iterations(3);
CHM_BENCHMARK(spread_all_to_all, lt)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(all_to_all, lt)->Arg(1024)->Iterations(1);

} // namespace chimera::bench
