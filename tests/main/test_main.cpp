// SPDX-License-Identifier: Apache-2.0
// The tests' own main. libsystemc.so defines a main too; were it to win, no test would run. This
// main therefore says how many tests ran and fails when none did.
#include <cstdio>

#include <gtest/gtest.h>

extern "C" __attribute__((weak, visibility("default"))) int sc_main(int, char**) {
    return 1;
}

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (GTEST_FLAG_GET(list_tests)) {
        return RUN_ALL_TESTS();
    }
    int result = RUN_ALL_TESTS();
    int executed = ::testing::UnitTest::GetInstance()->test_to_run_count();
    std::printf("executed %d tests\n", executed);
    if (executed == 0) {
        std::fprintf(stderr, "no test was executed\n");
        return 3;
    }
    return result;
}
