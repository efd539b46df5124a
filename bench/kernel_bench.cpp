// SPDX-License-Identifier: Apache-2.0
// What the SystemC kernel itself can do, to measure the fabric by: modules with one method and one
// event each, woken after a random delay, without and with state that each activation goes through;
// and a chain of modules that pass b_transport on.
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "bench/bench.h"
#include "hw/base/random.h"
#include "hw/kernel/context.h"

namespace chimera::bench {

namespace {

class sleeper : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(sleeper);
    sleeper(const sc_core::sc_module_name& name, uint64_t seed, size_t state_bytes)
        : sc_core::sc_module(name), m_random(seed), m_state(state_bytes / sizeof(uint64_t)) {
        SC_METHOD(wake);
        sensitive << m_event;
    }
    uint64_t wakes() const { return m_wakes; }

private:
    void wake() {
        ++m_wakes;
        for (uint64_t& word : m_state) {
            word += m_random;
        }
        m_random = chm_mix(m_random);
        m_event.notify(sc_core::sc_time::from_value(1000 * (1 + m_random % 200)));
    }

    sc_core::sc_event m_event;
    uint64_t m_random, m_wakes = 0;
    std::vector<uint64_t> m_state;
};

class stage : public sc_core::sc_module,
              public tlm::tlm_fw_transport_if<>,
              public tlm::tlm_bw_transport_if<> {
public:
    tlm::tlm_target_socket<> in;
    tlm::tlm_initiator_socket<> out;
    explicit stage(const sc_core::sc_module_name& name)
        : sc_core::sc_module(name), in("in"), out("out") {
        in.bind(*this);
        out.bind(*this);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
        delay += sc_core::sc_time::from_value(1000);
        if (!last) {
            out->b_transport(payload, delay);
        }
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned int transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    bool last = false;
};

constexpr uint64_t slice_ps = 1000000;

// Arguments: modules, bytes of state of each.
void kernel_wakeups(benchmark::State& state) {
    kernel::context context;
    kernel::context::entry inside(context);
    std::vector<sleeper*> modules;
    const auto built = context.build([&] {
        for (int64_t i = 0; i < state.range(0); ++i) {
            modules.push_back(&context.own(std::make_unique<sleeper>(
                ("sleeper_" + std::to_string(i)).c_str(), static_cast<uint64_t>(i),
                static_cast<size_t>(state.range(1)))));
        }
    });
    uint64_t until = slice_ps;
    if (built.status != chm_ok || context.run(until).status != chm_ok) {
        state.SkipWithError("the kernel refused");
        return;
    }
    uint64_t before = 0, after = 0;
    for (const sleeper* module : modules) {
        before += module->wakes();
    }
    const cpu_timer timer;
    for (auto _ : state) {
        context.run(until += slice_ps);
    }
    const double seconds = timer.seconds();
    for (const sleeper* module : modules) {
        after += module->wakes();
    }
    const double wakes = static_cast<double>(after - before);
    state.counters["wakeups"] = benchmark::Counter(wakes, benchmark::Counter::kIsRate);
    note_rate({"kernel", state.range(0), state.range(1)}, wakes / seconds);
}

// Argument: modules in the chain. The rate counts calls, one per module.
void b_transport_chain(benchmark::State& state) {
    kernel::context context;
    kernel::context::entry inside(context);
    std::vector<stage*> stages;
    const auto built = context.build([&] {
        for (int64_t i = 0; i < state.range(0); ++i) {
            stages.push_back(
                &context.own(std::make_unique<stage>(("stage_" + std::to_string(i)).c_str())));
            if (i > 0) {
                stages[static_cast<size_t>(i) - 1]->out.bind(stages.back()->in);
            }
        }
        stages.back()->out.bind(stages.front()->in);
        stages.back()->last = true;
    });
    if (built.status != chm_ok || context.run(0).status != chm_ok) {
        state.SkipWithError("the kernel refused");
        return;
    }
    tlm::tlm_generic_payload payload;
    const cpu_timer timer;
    for (auto _ : state) {
        sc_core::sc_time delay;
        stages.back()->out->b_transport(payload, delay);
        benchmark::DoNotOptimize(delay);
    }
    const double seconds = timer.seconds();
    const double calls =
        static_cast<double>(state.iterations()) * static_cast<double>(state.range(0));
    state.counters["calls"] = benchmark::Counter(calls, benchmark::Counter::kIsRate);
    note_rate({"b_transport", state.range(0), 0}, calls / seconds);
}

} // namespace

BENCHMARK(kernel_wakeups)
    ->ArgsProduct({{64, 1024, 4096}, {0, 4096}})
    ->ArgNames({"modules", "state"})
    ->Iterations(400)
    ->Repetitions(3)
    ->ReportAggregatesOnly();
BENCHMARK(b_transport_chain)->Arg(16)->ArgName("modules");

} // namespace chimera::bench
