// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/base/yaml.h"

using ::testing::HasSubstr;
using ::testing::StartsWith;

class yaml : public ::testing::Test {
protected:
    void SetUp() override {
        chm_arena_init(&m_arena);
        chm_diagnostics_init(&m_diagnostics);
    }
    void TearDown() override {
        chm_arena_free(&m_arena);
        chm_diagnostics_free(&m_diagnostics);
    }
    chm_status read(const std::string& text) {
        m_root = nullptr;
        return chm_yaml_read_text("x.yaml", text.data(), text.size(), &m_arena, &m_root,
                                  &m_diagnostics);
    }
    // The messages for a bad text; there must be `count` of them and no tree.
    std::string refused(const std::string& text, unsigned count = 1) {
        chm_diagnostics_free(&m_diagnostics);
        EXPECT_EQ(read(text), chm_bad_input) << text;
        EXPECT_EQ(m_root, nullptr);
        EXPECT_EQ(m_diagnostics.errors, count) << chm_diagnostics_text(&m_diagnostics);
        return chm_diagnostics_text(&m_diagnostics);
    }

    chm_arena m_arena{};
    chm_diagnostics m_diagnostics{};
    const chm_yaml_node* m_root = nullptr;
};

TEST_F(yaml, reads_a_tree_with_places) {
    ASSERT_EQ(read("# comment\n"
                   "name: mesh\n"
                   "\"sizes\": [1, '2']\n"
                   "rows:\n"
                   "  - {a: 1}\n"
                   "  - b: \"\"\n"
                   "empty:\n"),
              chm_ok)
        << chm_diagnostics_text(&m_diagnostics);
    ASSERT_EQ(m_root->kind, chm_yaml_mapping);
    ASSERT_EQ(m_root->count, 4u);
    const chm_yaml_node* name = chm_yaml_get(m_root, "name");
    EXPECT_STREQ(name->text, "mesh");
    EXPECT_EQ(name->origin.line, 2u);
    EXPECT_EQ(name->origin.column, 7u);
    EXPECT_EQ(name->key_origin.column, 1u);
    const chm_yaml_node* sizes = chm_yaml_get(m_root, "sizes");
    ASSERT_EQ(sizes->kind, chm_yaml_sequence);
    ASSERT_EQ(sizes->count, 2u);
    EXPECT_FALSE(sizes->items[0].quoted);
    EXPECT_TRUE(sizes->items[1].quoted);
    EXPECT_EQ(sizes->items[1].origin.column, 14u); // the opening quote
    const chm_yaml_node* rows = chm_yaml_get(m_root, "rows");
    EXPECT_STREQ(chm_yaml_get(&rows->items[0], "a")->text, "1");
    EXPECT_STREQ(chm_yaml_get(&rows->items[1], "b")->text, "");
    // An empty value has no place of its own: the key's is used.
    const chm_yaml_node* empty = chm_yaml_get(m_root, "empty");
    EXPECT_STREQ(empty->text, "");
    EXPECT_EQ(empty->origin.line, 7u);
    EXPECT_EQ(empty->origin.column, 1u);
    EXPECT_EQ(chm_yaml_get(m_root, "absent"), nullptr);
}

TEST_F(yaml, names_every_unknown_key) {
    ASSERT_EQ(read("a: 1\nb: 2\nc: 3\n"), chm_ok);
    chm_yaml_get(m_root, "b");
    chm_yaml_refuse_unknown(m_root, "b, d", &m_diagnostics);
    EXPECT_STREQ(chm_diagnostics_text(&m_diagnostics),
                 "x.yaml:1:1: unknown key 'a'; allowed: b, d\n"
                 "x.yaml:3:1: unknown key 'c'; allowed: b, d\n");
}

TEST_F(yaml, refuses_what_would_pass_silently) {
    EXPECT_THAT(refused(""), StartsWith("x.yaml:1:1: the file is empty"));
    EXPECT_THAT(refused("# only a comment\n"), StartsWith("x.yaml:1:1: the file is empty"));
    EXPECT_THAT(refused("---\n"), StartsWith("x.yaml:1:1: the file is empty"));
    EXPECT_THAT(refused("a: 1\n---\nb: 2\n"), StartsWith("x.yaml:2:1: a second document"));
    EXPECT_THAT(refused("a: &x 1\n"), StartsWith("x.yaml:1:5: anchor 'x'"));
    EXPECT_THAT(refused("a: !!int 1\n"), StartsWith("x.yaml:1:4: tag 'tag:yaml.org,2002:int'"));
    EXPECT_THAT(refused("a: 1\n<<: {b: 2}\n"), StartsWith("x.yaml:2:1: merge key '<<'"));
    EXPECT_THAT(refused("? [a, b]\n: 1\n"), StartsWith("x.yaml:1:3: a key must be a scalar"));
    EXPECT_THAT(refused("a: \"\\0\"\n"), StartsWith("x.yaml:1:4: a scalar with a NUL"));
}

TEST_F(yaml, names_every_duplicate_key) {
    std::string text = refused("a: 1\nb: 2\na: 3\nb: 4\na: 5\n", 3);
    EXPECT_THAT(text, HasSubstr("x.yaml:3:1: duplicate key 'a'; it stands at 1:1 already"));
    EXPECT_THAT(text, HasSubstr("x.yaml:4:1: duplicate key 'b'; it stands at 2:1 already"));
    EXPECT_THAT(text, HasSubstr("x.yaml:5:1: duplicate key 'a'; it stands at 1:1 already"));
}

// The parser puts bytes between lines of different indentation that are not in the file.
TEST_F(yaml, refuses_folded_text_and_takes_literal) {
    EXPECT_THAT(refused("a: >\n  x\n\n   y\n  z\nb: 1\n"), HasSubstr("folded text ('>')"));
    EXPECT_THAT(refused("? >\n  key\n: 1\n", 2), HasSubstr("folded text ('>')"));
    chm_diagnostics_free(&m_diagnostics);
    ASSERT_EQ(read("a: |\n  x\n\n   y\n  z\n"), chm_ok);
    EXPECT_STREQ(chm_yaml_get(m_root, "a")->text, "x\n\n y\nz\n");
}

TEST_F(yaml, refuses_alias_at_its_place) {
    std::string text = refused("a: &x 1\nb: *x\n", 2);
    EXPECT_THAT(text, HasSubstr("x.yaml:2:5: alias 'x'"));
}

TEST_F(yaml, refuses_bad_bytes_at_their_place) {
    EXPECT_THAT(refused("a: 1\nbc: \xff\n"), StartsWith("x.yaml:2:5: invalid UTF-8"));
    EXPECT_THAT(refused("\xc3\xa9: \xc0\x80\n"), StartsWith("x.yaml:1:4: invalid UTF-8"));
    EXPECT_THAT(refused("a: \xed\xa0\x80\n"), StartsWith("x.yaml:1:4: invalid UTF-8"));
    EXPECT_THAT(refused("a: \xf4\x90\x80\x80\n"), StartsWith("x.yaml:1:4: invalid UTF-8"));
    EXPECT_THAT(refused("a: \xe2\x82"), StartsWith("x.yaml:1:4: invalid UTF-8"));
    EXPECT_THAT(refused(std::string("a: \0b\n", 6)), StartsWith("x.yaml:1:4: a control character"));
}

TEST_F(yaml, places_syntax_errors) {
    EXPECT_THAT(refused("a: 1\nb: [1, 2\nc: 3\n"), StartsWith("x.yaml:4:1: YAML syntax: "));
    EXPECT_THAT(refused("a: \"open\n"), StartsWith("x.yaml:1:5: YAML syntax: "));
    EXPECT_THAT(refused("a: 1\n b: 2\n"), StartsWith("x.yaml:1:4: YAML syntax: "));
    EXPECT_THAT(refused("a: 1\n}\n"), StartsWith("x.yaml:2:1: YAML syntax: "));
}

TEST_F(yaml, limits_nesting) {
    auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
    // The outermost sequence is level 0 and the 64th below it is allowed; one more is not.
    EXPECT_EQ(read(nested(64)), chm_ok) << chm_diagnostics_text(&m_diagnostics);
    EXPECT_THAT(refused(nested(66)), HasSubstr("x.yaml:1:66: nested deeper than 64 levels"));
    EXPECT_EQ(read(std::string(200000, '[')), chm_bad_input);
    std::string blocks;
    for (int i = 0; i < 1000; ++i) {
        blocks += "- ";
    }
    EXPECT_EQ(read(blocks + "x\n"), chm_bad_input);
}

TEST_F(yaml, reports_unreadable_files) {
    EXPECT_EQ(chm_yaml_read_file("/nonexistent/f.yaml", &m_arena, &m_root, &m_diagnostics), chm_io);
    EXPECT_THAT(chm_diagnostics_text(&m_diagnostics),
                StartsWith("/nonexistent/f.yaml: cannot read: "));
    chm_diagnostics_free(&m_diagnostics);
    EXPECT_EQ(chm_yaml_read_file(CHM_SOURCE_DIR, &m_arena, &m_root, &m_diagnostics), chm_io);
    EXPECT_THAT(chm_diagnostics_text(&m_diagnostics), HasSubstr("it is a directory"));
}

TEST_F(yaml, reads_files) {
    std::string path = ::testing::TempDir() + "yaml_test_reads_files.yaml";
    std::ofstream(path) << "a: [x]\n";
    ASSERT_EQ(chm_yaml_read_file(path.c_str(), &m_arena, &m_root, &m_diagnostics), chm_ok);
    EXPECT_EQ(chm_yaml_get(m_root, "a")->items[0].origin.name, path);
}

TEST_F(yaml, prints_nothing) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    read("a: [1\nb: }\n");
    read("a: *x\n");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}
