// SPDX-License-Identifier: Apache-2.0
// The fabric at work on square meshes, elaboration apart: packet-hops per CPU second approximately
// timed, message-hops loosely timed.
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/workloads.h"
#include "hw/fabric/replay.h"

namespace chimera::bench {

namespace {

// A workload with its modules, ready to run.
class machine {
public:
    machine(const mesh& platform, const chm_graph& graph, chm_fidelity fidelity) {
        fabric::fabric_params params;
        params.fidelity = fidelity;
        kernel::context::entry inside(m_context);
        const cpu_timer timer;
        auto result = m_context.build([&] {
            m_network = &m_context.own(
                std::make_unique<fabric::fabric>("fabric", platform.topology(), params));
            m_player =
                &m_context.own(std::make_unique<fabric::replay>("replay", *m_network, graph));
        });
        if (result.status == chm_ok) {
            result = m_context.run(0);
        }
        elaboration_seconds = timer.seconds();
        if (result.status != chm_ok) {
            throw std::runtime_error(result.text);
        }
    }

    fabric::replay_result run() {
        kernel::context::entry inside(m_context);
        const auto result = fabric::run_watched(m_context, *m_network, *m_player);
        if (result.status != chm_ok) {
            throw std::runtime_error(result.text);
        }
        return m_player->result();
    }

    double elaboration_seconds = 0;

private:
    kernel::context m_context;
    fabric::fabric* m_network = nullptr;
    fabric::replay* m_player = nullptr;
};

// A hop is a link between routers crossed, by a packet or, loosely timed, by a message.
double hops_of(const fabric::replay_result& result, chm_fidelity fidelity) {
    const auto packet_hops = static_cast<double>(result.packet_hops);
    // All messages of a workload have the same size.
    return fidelity == chm_fidelity_at ? packet_hops
                                       : packet_hops * static_cast<double>(result.messages) /
                                             static_cast<double>(result.packets);
}

// Elaboration leaves a small machine in the caches and a large one outside. What is compared across
// sizes for its routers' work, not their memory, starts with neither.
void empty_caches() {
    static std::vector<uint64_t> other(size_t(64) << 17); // 64 MiB
    for (size_t i = 0; i < other.size(); i += 8) {
        ++other[i];
    }
    benchmark::ClobberMemory();
}

void play(benchmark::State& state, chm_fidelity fidelity, const std::string& workload,
          const mesh& platform, const message_list& messages, bool cold = false) {
    const std::string name = workload + (fidelity == chm_fidelity_lt ? ", lt" : "");
    const chm_graph graph = messages.graph();
    fabric::replay_result result;
    double seconds = 0, elaboration = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto ready = std::make_unique<machine>(platform, graph, fidelity);
        elaboration = ready->elaboration_seconds;
        if (cold) {
            empty_caches();
        }
        state.ResumeTiming();
        const cpu_timer timer;
        result = ready->run();
        seconds = timer.seconds();
        state.PauseTiming();
        note_rate({name, state.range(0), 0}, hops_of(result, fidelity) / seconds);
        ready.reset();
        state.ResumeTiming();
    }
    state.counters["hops/s"] = noted_rate({name, state.range(0), 0});
    state.counters["events/hop"] =
        static_cast<double>(result.activations) / hops_of(result, fidelity);
    state.counters["elaborate_s"] = elaboration;
    state.counters["peak_MB"] = peak_megabytes();
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

// 1 KiB from every die to every other, staggered.
void all_to_all(benchmark::State& state, chm_fidelity fidelity) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 1; i < platform.dies(); ++i) {
            messages.send(die, (die + i) % platform.dies(), 1024);
        }
    }
    play(state, fidelity, "all-to-all", platform, messages);
}

// One message of 1 MiB over 8 links; all other routers are idle.
void play_one_message(benchmark::State& state, chm_fidelity fidelity, const char* workload,
                      bool cold) {
    const mesh platform(side_of(state));
    message_list messages;
    messages.send(0, 4 + 4 * platform.side(), 1 << 20);
    play(state, fidelity, workload, platform, messages, cold);
}

void one_message(benchmark::State& state, chm_fidelity fidelity) {
    play_one_message(state, fidelity, "one message", false);
}

void cold_message(benchmark::State& state, chm_fidelity fidelity) {
    play_one_message(state, fidelity, "one message, cold", true);
}

// The same message at more and more bytes, on 81 dies.
void long_message(benchmark::State& state, chm_fidelity fidelity) {
    const mesh platform(9);
    message_list messages;
    messages.send(0, 8, static_cast<uint64_t>(state.range(0)) << 20);
    play(state, fidelity, "long message", platform, messages);
}

} // namespace

#define CHM_BENCHMARK(name, fidelity)                                                              \
    BENCHMARK_CAPTURE(name, fidelity, chm_fidelity_##fidelity)                                     \
        ->Unit(benchmark::kMillisecond)                                                            \
        ->ArgName("dies")

CHM_BENCHMARK(all_to_all, at)->Arg(64)->Iterations(5);
CHM_BENCHMARK(nearest_neighbour, at)->Arg(64)->Iterations(3);
CHM_BENCHMARK(uniform, at)->Arg(64)->Iterations(3);
CHM_BENCHMARK(spread_all_to_all, at)->Arg(64)->Iterations(3);
// Before the large ones: what they leave in the allocator would be paid for here.
CHM_BENCHMARK(one_message, at)->Arg(64)->Arg(4096)->Iterations(5);
CHM_BENCHMARK(cold_message, at)->Arg(64)->Arg(4096)->Iterations(5);
CHM_BENCHMARK(long_message, at)->ArgName("MiB")->Arg(1)->Arg(1024)->Iterations(5);
CHM_BENCHMARK(all_to_all, lt)->Arg(64)->Iterations(10);
CHM_BENCHMARK(short_neighbour, lt)->Arg(64)->Iterations(20);
CHM_BENCHMARK(uniform, lt)->Arg(64)->Iterations(20);
CHM_BENCHMARK(spread_all_to_all, lt)->Arg(64)->Iterations(20);
CHM_BENCHMARK(nearest_neighbour, at)->Arg(1024)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(uniform, at)->Arg(1024)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(spread_all_to_all, at)->Arg(1024)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(short_neighbour, lt)->Arg(1024)->Arg(4096)->Iterations(2);
CHM_BENCHMARK(uniform, lt)->Arg(1024)->Arg(4096)->Iterations(2);
CHM_BENCHMARK(spread_all_to_all, lt)->Arg(1024)->Arg(4096)->Iterations(2);
CHM_BENCHMARK(all_to_all, lt)->Arg(1024)->Iterations(1);

} // namespace chimera::bench
