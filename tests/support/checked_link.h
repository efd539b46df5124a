// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "hw/die/die.h"
#include "tests/support/base_protocol_checker.h"

namespace chimera::test {

// Binds a link of a die (die::link_binder) with a checker of the base protocol between, whose
// breaches fail the test when the die goes.
inline std::shared_ptr<void> checked_link(die::initiator_socket& from, die::target_socket& to,
                                          const char* link) {
    struct reporting_checker {
        explicit reporting_checker(const char* name) : checker(name) {}
        ~reporting_checker() {
            for (const std::string& breach : checker.breaches()) {
                ADD_FAILURE() << breach;
            }
        }
        base_protocol_checker checker;
    };
    auto between = std::make_shared<reporting_checker>(link);
    from.bind(between->checker.in);
    between->checker.out.bind(to);
    return between;
}

} // namespace chimera::test
