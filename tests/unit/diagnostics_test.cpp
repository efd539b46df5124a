// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/base/diagnostics.h"

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

class diagnostics : public ::testing::Test {
protected:
    diagnostics() { chm_diagnostics_init(&m_diagnostics); }
    ~diagnostics() override { chm_diagnostics_free(&m_diagnostics); }
    std::string text() const { return chm_diagnostics_text(&m_diagnostics); }

    chm_diagnostics m_diagnostics;
    const chm_origin m_origin = {"x.yaml", 3, 7};
};

// A value that ends the line could pass for a message of its own.
TEST_F(diagnostics, a_message_is_one_line_whatever_its_value_holds) {
    chm_diagnose(&m_diagnostics, &m_origin, "got '%s'; allowed: 1",
                 "4\nmesh: valid\x1b[31m\r \b \x7f");
    EXPECT_EQ(text(), "x.yaml:3:7: got '4?mesh: valid?[31m? ? ?'; allowed: 1\n");
    const chm_origin path = {"a\nb.yaml", 0, 0};
    chm_diagnose(&m_diagnostics, &path, "cannot read");
    EXPECT_THAT(text(), EndsWith("\na?b.yaml: cannot read\n"));
    EXPECT_EQ(m_diagnostics.errors, 2u);
}

TEST_F(diagnostics, a_report_without_an_origin_keeps_its_lines) {
    chm_diagnose(&m_diagnostics, nullptr, "%s", "stuck\ndie 0: \x1b waits");
    EXPECT_EQ(text(), "stuck\ndie 0: ? waits\n");
}

TEST_F(diagnostics, a_long_message_keeps_both_ends_and_whole_characters) {
    for (int shift = 0; shift < 2; ++shift) {
        chm_diagnostics_free(&m_diagnostics);
        chm_diagnose(&m_diagnostics, nullptr, "%s", "before");
        std::string value(shift, 'a');
        for (int i = 0; i < 500000; ++i) {
            value += "\xc3\xa9"; // two bytes: a cut may fall between them
        }
        chm_diagnose(&m_diagnostics, &m_origin, "key 'k': got '%s'; allowed: 1", value.c_str());
        EXPECT_THAT(text(), StartsWith("before\nx.yaml:3:7: key 'k': got '"));
        EXPECT_THAT(text(), HasSubstr("\xc3\xa9 ... \xc3\xa9"));
        EXPECT_THAT(text(), EndsWith("'; allowed: 1\n"));
        EXPECT_LT(text().size(), 4200u); // 2 x 2048 and the gap
    }
    chm_diagnostics_free(&m_diagnostics);
    const std::string longest(8000, 'v'); // shorter than the limit: whole
    chm_diagnose(&m_diagnostics, &m_origin, "%s", longest.c_str());
    EXPECT_EQ(text(), "x.yaml:3:7: " + longest + "\n");
}

TEST_F(diagnostics, counts_all_messages_and_keeps_the_first) {
    for (int i = 1; i <= 100000; ++i) {
        chm_diagnose(&m_diagnostics, &m_origin, "fault %d", i);
    }
    EXPECT_EQ(m_diagnostics.errors, 100000u);
    EXPECT_THAT(text(), EndsWith("fault 200\nand more; the first 200 are shown\n"));
}

} // namespace
