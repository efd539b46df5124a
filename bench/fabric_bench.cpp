// SPDX-License-Identifier: Apache-2.0
// The AT fabric at work on square meshes: packet-hops per CPU second, elaboration apart.
#include <cmath>
#include <memory>
#include <stdexcept>

#include "bench/bench.h"
#include "bench/workloads.h"
#include "hw/fabric/replay.h"

namespace chimera::bench {

namespace {

// A workload with its modules, ready to run.
class machine {
public:
    machine(const mesh& platform, const chm_graph& graph) {
        kernel::context::entry inside(m_context);
        const cpu_timer timer;
        auto result = m_context.build([&] {
            m_network = &m_context.own(std::make_unique<fabric::fabric>(
                "fabric", platform.topology(), fabric::fabric_params()));
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

void play(benchmark::State& state, const std::string& name, const mesh& platform,
          const message_list& messages) {
    const chm_graph graph = messages.graph();
    fabric::replay_result result;
    double seconds = 0, elaboration = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto ready = std::make_unique<machine>(platform, graph);
        elaboration = ready->elaboration_seconds;
        state.ResumeTiming();
        const cpu_timer timer;
        result = ready->run();
        seconds = timer.seconds();
        state.PauseTiming();
        const auto hops = static_cast<double>(result.packet_hops);
        note_rate({name, state.range(0), 0}, hops / seconds);
        ready.reset();
        state.ResumeTiming();
    }
    state.counters["packet_hops/s"] = noted_rate({name, state.range(0), 0});
    state.counters["events/hop"] =
        static_cast<double>(result.activations) / static_cast<double>(result.packet_hops);
    state.counters["elaborate_s"] = elaboration;
    state.counters["peak_MB"] = peak_megabytes();
}

uint32_t side_of(const benchmark::State& state) {
    return static_cast<uint32_t>(std::lround(std::sqrt(static_cast<double>(state.range(0)))));
}

// 32 KiB from every die to the next in its row.
void nearest_neighbour(benchmark::State& state) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        messages.send(die, die % platform.side() + 1 < platform.side() ? die + 1 : die - 1, 32768);
    }
    play(state, "nearest neighbour", platform, messages);
}

// 8 KiB from every die, 1 KiB each to random others.
void uniform(benchmark::State& state) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 0; i < 8; ++i) {
            messages.send(die, random_other(die, i, platform.dies()), 1024);
        }
    }
    play(state, "uniform", platform, messages);
}

// 8 KiB from every die, 1 KiB each to dies spread evenly over all, staggered.
void spread_all_to_all(benchmark::State& state) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 1; i <= 8; ++i) {
            messages.send(die, (die + i * (platform.dies() / 9)) % platform.dies(), 1024);
        }
    }
    play(state, "all-to-all, 8 peers", platform, messages);
}

// 1 KiB from every die to every other, staggered.
void all_to_all(benchmark::State& state) {
    const mesh platform(side_of(state));
    message_list messages;
    for (uint32_t die = 0; die < platform.dies(); ++die) {
        for (uint32_t i = 1; i < platform.dies(); ++i) {
            messages.send(die, (die + i) % platform.dies(), 1024);
        }
    }
    play(state, "all-to-all", platform, messages);
}

// One message of 1 MiB over 8 links; all other routers are idle.
void one_message(benchmark::State& state) {
    const mesh platform(side_of(state));
    message_list messages;
    messages.send(0, 4 + 4 * platform.side(), 1 << 20);
    play(state, "one message", platform, messages);
}

// The same message at more and more bytes, on 81 dies.
void long_message(benchmark::State& state) {
    const mesh platform(9);
    message_list messages;
    messages.send(0, 8, static_cast<uint64_t>(state.range(0)) << 20);
    play(state, "long message", platform, messages);
}

} // namespace

#define CHM_BENCHMARK(name) BENCHMARK(name)->Unit(benchmark::kMillisecond)->ArgName("dies")

CHM_BENCHMARK(all_to_all)->Arg(64)->Iterations(5);
CHM_BENCHMARK(nearest_neighbour)->Arg(64)->Iterations(3);
CHM_BENCHMARK(uniform)->Arg(64)->Iterations(3);
CHM_BENCHMARK(spread_all_to_all)->Arg(64)->Iterations(3);
// Before the large ones: what they leave in the allocator would be paid for here.
CHM_BENCHMARK(one_message)->Arg(64)->Arg(4096)->Iterations(5);
CHM_BENCHMARK(long_message)->ArgName("MiB")->Arg(1)->Arg(1024)->Iterations(5);
CHM_BENCHMARK(nearest_neighbour)->Arg(1024)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(uniform)->Arg(1024)->Arg(4096)->Iterations(1);
CHM_BENCHMARK(spread_all_to_all)->Arg(1024)->Arg(4096)->Iterations(1);

} // namespace chimera::bench
