// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tlm>

#include "hw/kernel/context.h"
#include "hw/kernel/wakeup.h"

using namespace chimera::kernel;

namespace {

constexpr uint64_t khz_1700 = 1700000;

// Wakes every `period` cycles and notes the time of each.
class ticker : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(ticker);
    ticker(const sc_core::sc_module_name& module_name, uint64_t khz, uint64_t period,
           uint64_t count)
        : sc_core::sc_module(module_name), m_wakeup("wakeup", khz), m_period(period),
          m_count(count) {
        SC_METHOD(activate);
        sensitive << m_wakeup.event();
        dont_initialize();
        m_wakeup.at(period);
    }
    std::vector<uint64_t> cycles, picoseconds;

private:
    void activate() {
        uint64_t now = m_wakeup.fired();
        cycles.push_back(now);
        picoseconds.push_back(sc_core::sc_time_stamp().value());
        if (cycles.size() < m_count) {
            m_wakeup.at(now + m_period);
        }
    }
    wakeup m_wakeup;
    uint64_t m_period, m_count;
};

// Notifies itself in the same cycle for ever.
class loop : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(loop);
    explicit loop(const sc_core::sc_module_name& module_name)
        : sc_core::sc_module(module_name), m_wakeup("wakeup", 1000000) {
        SC_METHOD(activate);
        sensitive << m_wakeup.event();
        dont_initialize();
        m_wakeup.at(5);
    }

private:
    void activate() { m_wakeup.at(m_wakeup.fired()); }
    wakeup m_wakeup;
};

// Wants more than there is.
class glutton : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(glutton);
    explicit glutton(const sc_core::sc_module_name& module_name) : sc_core::sc_module(module_name) {
        SC_METHOD(activate);
    }

private:
    void activate() { throw std::bad_alloc(); }
};

ticker& add_ticker(context& target, const char* name, uint64_t khz, uint64_t period,
                   uint64_t count) {
    ticker* result = nullptr;
    run_result built = target.build(
        [&] { result = &target.own(std::make_unique<ticker>(name, khz, period, count)); });
    EXPECT_EQ(built.status, chm_ok) << built.text;
    return *result;
}

} // namespace

// Cycle n of a 1.7 GHz clock is due at ceil(n * 10000 / 17) ps: 17,000,000 cycles are 10 ms.
TEST(kernel_context, wakes_at_exact_times_at_1_7_ghz) {
    context simulation;
    context::entry inside(simulation);
    ticker& one = add_ticker(simulation, "one", khz_1700, 17, 3);
    ticker& two = add_ticker(simulation, "two", khz_1700, 17000000, 2);
    ASSERT_EQ(simulation.run(UINT64_MAX / 2).status, chm_ok);
    EXPECT_EQ(one.picoseconds, (std::vector<uint64_t>{10000, 20000, 30000}));
    EXPECT_EQ(two.cycles, (std::vector<uint64_t>{17000000, 34000000}));
    EXPECT_EQ(two.picoseconds, (std::vector<uint64_t>{10000000000, 20000000000}));
}

TEST(kernel_context, runs_what_is_due_exactly_at_the_end) {
    context simulation;
    context::entry inside(simulation);
    ticker& one = add_ticker(simulation, "one", 1000000, 10, 5);
    ASSERT_EQ(simulation.run(9999).status, chm_ok);
    EXPECT_EQ(one.cycles.size(), 0u);
    EXPECT_EQ(simulation.next_ps(), 10000u);
    ASSERT_EQ(simulation.run(10000).status, chm_ok);
    EXPECT_EQ(one.cycles.size(), 1u);
    ASSERT_EQ(simulation.run(UINT64_MAX / 2).status, chm_ok);
    EXPECT_EQ(one.cycles.size(), 5u);
    EXPECT_FALSE(simulation.pending());
}

TEST(kernel_context, interleaved_simulations_do_not_see_each_other) {
    context a, b;
    ticker *in_a = nullptr, *in_b = nullptr;
    {
        context::entry inside(a);
        in_a = &add_ticker(a, "same_name", 1000000, 3, 100);
    }
    {
        context::entry inside(b);
        in_b = &add_ticker(b, "same_name", 1000000, 7, 100);
    }
    for (uint64_t ps = 10000; ps <= 100000; ps += 10000) {
        {
            context::entry inside(a);
            ASSERT_EQ(a.run(ps).status, chm_ok);
            EXPECT_EQ(in_a->cycles.size(), ps / 3000);
        }
        context::entry inside(b);
        ASSERT_EQ(b.run(ps / 2).status, chm_ok);
        EXPECT_EQ(in_b->cycles.size(), ps / 2 / 7000);
    }
}

TEST(kernel_context, three_hundred_come_and_go_beside_a_live_one) {
    context live;
    ticker* lasting = nullptr;
    {
        context::entry inside(live);
        lasting = &add_ticker(live, "lasting", 1000000, 1, 1000);
    }
    for (uint64_t i = 1; i <= 300; ++i) {
        {
            context passing;
            context::entry inside(passing);
            ticker& one = add_ticker(passing, "lasting", 1000000, 2, 5);
            ASSERT_EQ(passing.run(7000).status, chm_ok);
            ASSERT_EQ(one.cycles.size(), 3u);
        }
        context::entry inside(live);
        ASSERT_EQ(live.run(i * 1000).status, chm_ok);
        ASSERT_EQ(lasting->cycles.size(), i);
    }
}

TEST(kernel_context, a_duplicate_name_is_a_status_and_others_live_on) {
    context broken, sound;
    {
        context::entry inside(broken);
        add_ticker(broken, "twin", 1000000, 1, 1);
        run_result built = broken.build(
            [&] { broken.own(std::make_unique<ticker>("twin", uint64_t(1000000), 1, 1)); });
        EXPECT_EQ(built.status, chm_internal);
        EXPECT_NE(built.text.find("twin"), std::string::npos) << built.text;
        EXPECT_EQ(broken.run(1000).status, chm_internal);
    }
    context::entry inside(sound);
    ticker& one = add_ticker(sound, "twin", 1000000, 1, 4);
    EXPECT_EQ(sound.run(10000).status, chm_ok);
    EXPECT_EQ(one.cycles.size(), 4u);
}

TEST(kernel_context, a_zero_delay_loop_ends_with_a_status) {
    context simulation;
    context::entry inside(simulation);
    ASSERT_EQ(simulation.build([&] { simulation.own(std::make_unique<loop>("loop")); }).status,
              chm_ok);
    run_result result = simulation.run(1000000);
    EXPECT_EQ(result.status, chm_internal);
    EXPECT_NE(result.text.find("delta_limit"), std::string::npos) << result.text;
}

// The kernel wraps what a process throws.
TEST(kernel_context, memory_that_runs_out_in_a_process_has_its_status) {
    context simulation;
    context::entry inside(simulation);
    const auto make = [&] { simulation.own(std::make_unique<glutton>("glutton")); };
    ASSERT_EQ(simulation.build(make).status, chm_ok);
    const run_result result = simulation.run(1000);
    EXPECT_EQ(result.status, chm_no_memory);
    EXPECT_EQ(result.text, "out of memory");
}

TEST(kernel_context, fatal_reports_neither_abort_nor_print) {
    context simulation;
    context::entry inside(simulation);
    run_result result = simulation.build([] { SC_REPORT_FATAL("test", "fatal text"); });
    EXPECT_EQ(result.status, chm_internal);
    EXPECT_NE(result.text.find("fatal text"), std::string::npos) << result.text;
}

TEST(kernel_context, the_hosts_settings_come_back_and_each_context_keeps_its_quantum) {
    auto& quantum = tlm::tlm_global_quantum::instance();
    using handler = sc_core::sc_report_handler;
    auto host_handler = handler::get_handler();
    quantum.set(sc_core::sc_time::from_value(123));
    context a, b;
    {
        context::entry inside(a);
        EXPECT_TRUE(context::inside_entry());
        EXPECT_EQ(quantum.get().value(), 0u);
        EXPECT_EQ(sc_core::sc_get_time_resolution(), sc_core::sc_time(1, sc_core::SC_PS));
        quantum.set(sc_core::sc_time::from_value(77));
    }
    EXPECT_FALSE(context::inside_entry());
    {
        context::entry inside(b);
        EXPECT_EQ(quantum.get().value(), 0u);
    }
    EXPECT_EQ(quantum.get().value(), 123u);
    EXPECT_EQ(handler::get_handler(), host_handler);
    {
        context::entry inside(a);
        EXPECT_EQ(quantum.get().value(), 77u);
    }
    quantum.set(sc_core::SC_ZERO_TIME);
}

TEST(kernel_context, threads_take_turns) {
    std::vector<std::thread> threads;
    std::vector<std::vector<uint64_t>> cycles(4);
    for (uint64_t t = 0; t < 4; ++t) {
        threads.emplace_back([t, &cycles] {
            context simulation;
            ticker* one = nullptr;
            {
                context::entry inside(simulation);
                one = &add_ticker(simulation, "one", 1000000, t + 1, 50);
            }
            for (uint64_t ps = 0; ps <= 200000; ps += 10000) {
                context::entry inside(simulation);
                EXPECT_EQ(simulation.run(ps).status, chm_ok);
            }
            cycles[t] = one->cycles;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (uint64_t t = 0; t < 4; ++t) {
        ASSERT_EQ(cycles[t].size(), 50u);
        EXPECT_EQ(cycles[t].back(), 50 * (t + 1));
    }
}
