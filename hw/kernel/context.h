// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <systemc>

#include "hw/base/status.h"

namespace chimera::kernel {

struct run_result {
    chm_status status = chm_ok;
    std::string text; // what went wrong, "" if nothing did
};

// One SystemC simulation among several in this process. Each has its own sc_simcontext; the
// library's "current" context is swapped under one process-wide lock while an `entry` lives. All
// that touches modules (making, running, reading, destroying) happens inside an entry.
//
// This class is the only place that knows of the swap. While inside, SystemC neither prints nor
// aborts: errors and fatal errors are exceptions, which build() and run() turn into a status, and
// so is a duplicate name (W505). The host's report settings and TLM global quantum are put back on
// leaving.
class context {
public:
    // Holds the lock and makes the context current. Not to be nested: a thread that is inside one
    // (a callback, say) would wait for itself. inside_entry() tells.
    class entry {
    public:
        explicit entry(context& target);
        ~entry();
        entry(const entry&) = delete;
        entry& operator=(const entry&) = delete;

    private:
        struct settings;
        context& m_target;
        std::unique_lock<std::mutex> m_lock;
        std::unique_ptr<settings> m_saved;
    };

    // A fresh context with a resolution of 1 ps and a global quantum of zero. May throw
    // std::bad_alloc.
    context();
    // Destroys modules in reverse order of their making, then the context. No entry may be alive.
    ~context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    // Inside an entry: makes modules. `build` makes them and hands each to own(). A SystemC error
    // leaves what was owned until then and gives chm_internal with the kernel's text; so does any
    // other std::exception (std::bad_alloc: chm_no_memory).
    run_result build(const std::function<void()>& make);

    // Keeps an object until the context goes; the last one kept is destroyed first.
    template<typename T> T& own(std::unique_ptr<T> object) {
        T& result = *object;
        m_owned.emplace_back(object.release(), [](void* p) { delete static_cast<T*>(p); });
        return result;
    }

    // Inside an entry: runs until time `until_ps`, and all that is due at it, or until nothing is
    // pending. After an error the context refuses to run again.
    run_result run(uint64_t until_ps);

    // Inside an entry: the present time; whether anything is pending and when.
    uint64_t now_ps() const;
    bool pending() const;
    uint64_t next_ps() const; // UINT64_MAX if nothing is pending

    bool failed() const { return m_failed; }

    // This thread holds an entry, of whatever context.
    static bool inside_entry();

private:
    run_result guarded(const std::function<void()>& action);

    using owned = std::unique_ptr<void, void (*)(void*)>;
    std::unique_ptr<sc_core::sc_simcontext> m_simcontext;
    uint64_t m_quantum_ps = 0;
    bool m_failed = false;
    std::string m_failure;
    std::vector<owned> m_owned;
};

} // namespace chimera::kernel
