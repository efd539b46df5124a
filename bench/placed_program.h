// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_api/include/chimera.h"

// Programs run through the C interface, for tables. Whatever fails is thrown with its message.

namespace chimera::bench {

using key_values = std::vector<std::pair<std::string, std::string>>;

// The transitions that tables are about.
std::vector<std::string> transition_platforms();
std::vector<std::string> transition_programs();

// A program placed on a platform, both under the same settings; seed 1.
class placed_program {
public:
    placed_program(const std::string& platform, const std::string& program, const key_values& keys);

    uint64_t message_bytes() const { return chm_program_message_bytes(m_program.get()); }
    chm_result measure(bool engine) const; // without data
    std::string explanation() const;       // JSON

private:
    struct free_handle {
        void operator()(chm_settings* handle) const { chm_settings_free(handle); }
        void operator()(chm_platform* handle) const { chm_platform_free(handle); }
        void operator()(chm_program* handle) const { chm_program_free(handle); }
        void operator()(chm_simulation* handle) const { chm_simulation_free(handle); }
        void operator()(chm_report* handle) const { chm_report_free(handle); }
    };
    template<typename T> using owned = std::unique_ptr<T, free_handle>;

    owned<chm_platform> m_platform;
    owned<chm_program> m_program;
};

} // namespace chimera::bench
