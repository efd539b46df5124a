// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/bench.h"
#include "hw/kernel/context.h"

// What the SystemC kernel itself can do, to measure the fabric by. Both throw std::runtime_error if
// the kernel refuses.

namespace chimera::bench {

class sleeper;
class stage;

// Modules with one method and one event each, woken after a random delay of 1 to 200 cycles; each
// goes through its state when it wakes. Work is wake-ups.
class wakeups : public yardstick {
public:
    wakeups(int64_t modules, int64_t state_bytes);
    progress slice() override;

private:
    uint64_t count() const;

    kernel::context m_context;
    std::vector<sleeper*> m_modules;
    uint64_t m_until_ps = 0;
};

// Modules in a chain that pass b_transport on. Work is calls, one per module.
class chain : public yardstick {
public:
    explicit chain(int64_t modules);
    progress slice() override;

private:
    kernel::context m_context;
    std::vector<stage*> m_stages;
};

} // namespace chimera::bench
