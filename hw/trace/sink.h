// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/trace/observer.h"

namespace chimera::trace {

// An observer that writes a file.
class sink : public observer {
public:
    // Nothing due before cycle `until` will be told any more.
    virtual void advance(uint64_t until) = 0;

    // Everything so far is in the file; what may still be told comes behind it. False if it could
    // not be written.
    virtual bool flush() = 0;

    // What was told too late for its place in the file: a fault of who told it, and put where it
    // still could be.
    virtual uint64_t late() const = 0;

    // The trace ends with cycle `last`.
    virtual bool finish(uint64_t last) = 0;
};

} // namespace chimera::trace
