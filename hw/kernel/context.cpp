// SPDX-License-Identifier: Apache-2.0
#include "hw/kernel/context.h"

#include <cstring>
#include <new>

#include <tlm>

#include "hw/kernel/wakeup.h"

// libsystemc defines main and needs sc_main. Weak, so that a host may bring its own.
extern "C" __attribute__((weak, visibility("default"))) int sc_main(int, char**) {
    return 1;
}

namespace chimera::kernel {

namespace {

std::mutex& kernel_lock() {
    static std::mutex lock;
    return lock;
}

thread_local bool inside = false;

void silent(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if (actions & sc_core::SC_THROW) {
        throw report;
    }
}

constexpr sc_core::sc_severity severities[] = {sc_core::SC_INFO, sc_core::SC_WARNING,
                                               sc_core::SC_ERROR, sc_core::SC_FATAL};

} // namespace

// What the host had set, to be put back.
struct context::entry::settings {
    sc_core::sc_simcontext* current = sc_core::sc_curr_simcontext;
    sc_core::sc_simcontext* standard = sc_core::sc_default_global_context;
    sc_core::sc_report_handler_proc handler = nullptr;
    sc_core::sc_actions actions[4] = {};
    sc_core::sc_actions duplicate = sc_core::SC_UNSPECIFIED;
    sc_core::sc_time quantum;
};

context::entry::entry(context& target) : m_target(target), m_lock(kernel_lock()) {
    using handler = sc_core::sc_report_handler;
    m_saved = std::make_unique<settings>();
    inside = true;
    m_saved->quantum = tlm::tlm_global_quantum::instance().get();
    m_saved->handler = handler::set_handler(silent);
    for (int i = 0; i < 4; ++i) {
        bool error = severities[i] == sc_core::SC_ERROR || severities[i] == sc_core::SC_FATAL;
        m_saved->actions[i] =
            handler::set_actions(severities[i], error ? sc_core::SC_THROW : sc_core::SC_DO_NOTHING);
    }
    m_saved->duplicate = handler::set_actions(sc_core::SC_ID_INSTANCE_EXISTS_, sc_core::SC_THROW);
    sc_core::sc_curr_simcontext = target.m_simcontext.get();
    sc_core::sc_default_global_context = target.m_simcontext.get();
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time::from_value(target.m_quantum_ps));
}

context::entry::~entry() {
    using handler = sc_core::sc_report_handler;
    m_target.m_quantum_ps = tlm::tlm_global_quantum::instance().get().value();
    sc_core::sc_curr_simcontext = m_saved->current;
    sc_core::sc_default_global_context = m_saved->standard;
    tlm::tlm_global_quantum::instance().set(m_saved->quantum);
    handler::set_actions(sc_core::SC_ID_INSTANCE_EXISTS_, m_saved->duplicate);
    for (int i = 0; i < 4; ++i) {
        handler::set_actions(severities[i], m_saved->actions[i]);
    }
    handler::set_handler(m_saved->handler);
    inside = false;
}

bool context::inside_entry() {
    return inside;
}

context::context() {
    // The library makes its first context by itself, on first use, and frees it at exit. It must
    // exist before ours, or one of ours would be taken for it.
    {
        std::lock_guard<std::mutex> lock(kernel_lock());
        sc_core::sc_get_curr_simcontext();
        m_simcontext = std::make_unique<sc_core::sc_simcontext>();
    }
    entry guard(*this);
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
}

context::~context() {
    entry guard(*this);
    while (!m_owned.empty()) {
        m_owned.pop_back();
    }
    // The kernel would leak the timed notifications that destroyed events leave in its queue;
    // looking for the next event drops them.
    sc_core::sc_pending_activity_at_future_time();
    m_simcontext.reset();
}

run_result context::guarded(const std::function<void()>& action) {
    if (m_failed) {
        return {chm_internal, "this simulation stopped earlier: " + m_failure};
    }
    run_result result;
    try {
        action();
        return result;
    } catch (const sc_core::sc_report& report) {
        // What a process throws comes wrapped.
        const bool memory = std::strcmp(report.get_msg(), std::bad_alloc().what()) == 0;
        result = memory ? run_result{chm_no_memory, "out of memory"}
                        : run_result{chm_internal,
                                     std::string(report.get_msg_type()) + ": " + report.get_msg()};
    } catch (const std::bad_alloc&) {
        result = {chm_no_memory, "out of memory"};
    } catch (const std::exception& error) {
        result = {chm_internal, error.what()};
    } catch (...) {
        result = {chm_internal, "an exception of unknown type"};
    }
    m_failed = true;
    m_failure = result.text;
    return result;
}

run_result context::build(const std::function<void()>& make) {
    return guarded(make);
}

run_result context::run(uint64_t until_ps) {
    return guarded([&] {
        uint64_t now = now_ps();
        if (until_ps > now) {
            sc_core::sc_start(sc_core::sc_time::from_value(until_ps - now),
                              sc_core::SC_EXIT_ON_STARVATION);
        }
        // sc_start leaves what is due exactly at its end; flush it, delta by delta.
        if (now_ps() > until_ps) {
            return;
        }
        uint64_t deltas = 0;
        do {
            if (++deltas > delta_cycle_limit) {
                SC_REPORT_ERROR("chimera/kernel/delta_limit", "zero-delay loop");
            }
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        } while (sc_core::sc_pending_activity_at_current_time());
    });
}

uint64_t context::now_ps() const {
    return sc_core::sc_time_stamp().value();
}

bool context::pending() const {
    return sc_core::sc_pending_activity();
}

uint64_t context::next_ps() const {
    if (!sc_core::sc_pending_activity()) {
        return UINT64_MAX;
    }
    return now_ps() + sc_core::sc_time_to_pending_activity().value();
}

} // namespace chimera::kernel
