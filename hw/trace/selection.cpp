// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/selection.h"

#include <algorithm>

#include "hw/base/clock.h"
#include "hw/base/text.h"

namespace chimera::trace {

namespace {

bool is_below(const std::string& path, const std::string& scope) {
    return path.compare(0, scope.size(), scope) == 0 &&
           (path.size() == scope.size() || path[scope.size()] == '.');
}

// Cycle `cycle` is the first one due at or after the time, or the last one at or before it.
bool parse_time(std::string text, uint64_t khz, bool first, uint64_t& cycle) {
    if (text.empty()) {
        return true;
    }
    const bool cycles = text.back() == 'c';
    if (cycles) {
        text.pop_back();
    }
    uint64_t value = 0;
    if (!chm_parse_u64(text.c_str(), &value)) {
        return false;
    }
    cycle = cycles ? value : chm_clock_ps_to_cycles(value, khz);
    cycle += !cycles && first && chm_clock_cycles_to_ps(cycle, khz) < value ? 1 : 0;
    return true;
}

} // namespace

bool selection::selects(const std::string& scope) const {
    return scopes.empty() ||
           std::any_of(scopes.begin(), scopes.end(),
                       [&](const std::string& wanted) { return is_below(scope, wanted); });
}

bool selection::touches(const std::string& scope) const {
    return selects(scope) ||
           std::any_of(scopes.begin(), scopes.end(),
                       [&](const std::string& wanted) { return is_below(wanted, scope); });
}

bool parse_window(const std::string& text, uint64_t clock_khz, selection& out) {
    const size_t colon = text.find(':');
    selection window;
    if (colon == std::string::npos ||
        !parse_time(text.substr(0, colon), clock_khz, true, window.begin) ||
        !parse_time(text.substr(colon + 1), clock_khz, false, window.end) ||
        window.begin > window.end) {
        return false;
    }
    out.begin = window.begin;
    out.end = window.end;
    return true;
}

} // namespace chimera::trace
