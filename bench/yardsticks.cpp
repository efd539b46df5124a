// SPDX-License-Identifier: Apache-2.0
#include "bench/yardsticks.h"

#include <stdexcept>
#include <string>

#include <systemc>
#include <tlm>

#include "hw/base/random.h"

namespace chimera::bench {

namespace {

constexpr double slice_seconds = 0.01;
constexpr uint64_t step_ps = 1000000;

void require(const kernel::run_result& result) {
    if (result.status != chm_ok) {
        throw std::runtime_error(result.text);
    }
}

} // namespace

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

wakeups::wakeups(int64_t modules, int64_t state_bytes) {
    kernel::context::entry inside(m_context);
    require(m_context.build([&] {
        for (int64_t i = 0; i < modules; ++i) {
            m_modules.push_back(&m_context.own(std::make_unique<sleeper>(
                ("sleeper_" + std::to_string(i)).c_str(), static_cast<uint64_t>(i),
                static_cast<size_t>(state_bytes))));
        }
    }));
    require(m_context.run(m_until_ps += step_ps)); // the first wake-up of all is not at random
}

uint64_t wakeups::count() const {
    uint64_t all = 0;
    for (const sleeper* module : m_modules) {
        all += module->wakes();
    }
    return all;
}

progress wakeups::slice() {
    kernel::context::entry inside(m_context);
    const uint64_t before = count();
    const cpu_timer timer;
    double seconds = 0;
    do {
        require(m_context.run(m_until_ps += step_ps));
        seconds = timer.seconds();
    } while (seconds < slice_seconds);
    return {static_cast<double>(count() - before), seconds};
}

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

chain::chain(int64_t modules) {
    kernel::context::entry inside(m_context);
    require(m_context.build([&] {
        for (int64_t i = 0; i < modules; ++i) {
            m_stages.push_back(
                &m_context.own(std::make_unique<stage>(("stage_" + std::to_string(i)).c_str())));
            if (i > 0) {
                m_stages[static_cast<size_t>(i) - 1]->out.bind(m_stages.back()->in);
            }
        }
        m_stages.back()->out.bind(m_stages.front()->in);
        m_stages.back()->last = true;
    }));
    require(m_context.run(0));
}

progress chain::slice() {
    constexpr uint32_t passes = 1000; // between looks at the clock
    kernel::context::entry inside(m_context);
    tlm::tlm_generic_payload payload;
    uint64_t calls = 0;
    const cpu_timer timer;
    double seconds = 0;
    do {
        for (uint32_t i = 0; i < passes; ++i) {
            sc_core::sc_time delay;
            m_stages.back()->out->b_transport(payload, delay);
            benchmark::DoNotOptimize(delay);
        }
        calls += passes * m_stages.size();
        seconds = timer.seconds();
    } while (seconds < slice_seconds);
    return {static_cast<double>(calls), seconds};
}

} // namespace chimera::bench
