// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chimera::trace {

// Which part of the machine is looked at, and when. A scope is a dotted path ("die_0_0.engine");
// all that is below it is selected.
struct selection {
    std::vector<std::string> scopes;      // none: everything
    uint64_t begin = 0, end = UINT64_MAX; // cycles, both included

    // The scope is a selected one, or below one.
    bool selects(const std::string& scope) const;
    // ... or above one: something of it is selected.
    bool touches(const std::string& scope) const;
};

// "A:B", each a time in picoseconds or, with the suffix c, in cycles; left out, the start or the
// end. False if the text is none, or A is after B.
bool parse_window(const std::string& text, uint64_t clock_khz, selection& out);

} // namespace chimera::trace
