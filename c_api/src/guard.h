// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>

#include "hw/base/diagnostics.h"

namespace chimera::c_api {

// Runs `action`, which returns a status, and turns what it throws into a status and a message: no
// exception may leave the C interface.
template<typename Action> chm_status guarded(chm_diagnostics* diagnostics, Action action) noexcept {
    try {
        return action();
    } catch (const std::bad_alloc&) {
        chm_diagnose(diagnostics, nullptr, "out of memory");
        return chm_no_memory;
    } catch (const std::exception& error) {
        chm_diagnose(diagnostics, nullptr, "internal error: %s", error.what());
        return chm_internal;
    } catch (...) {
        chm_diagnose(diagnostics, nullptr, "internal error");
        return chm_internal;
    }
}

} // namespace chimera::c_api
