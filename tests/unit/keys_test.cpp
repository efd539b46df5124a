// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "hw/base/keys.h"

namespace {

struct params {
    uint64_t size;
    double rate;
    bool on;
    uint64_t shape;
};

const chm_key keys[] = {
    {"size", chm_key_u64, "bytes", offsetof(params, size), 256, 1, 65536, nullptr, "Size."},
    {"rate", chm_key_f64, "GHz", offsetof(params, rate), 1.5, 0.1, 10, nullptr, "Rate."},
    {"on", chm_key_bool, "", offsetof(params, on), 1, 0, 1, nullptr, "Switch."},
    {"shape", chm_key_choice, "", offsetof(params, shape), 1, 0, 0, "ring|tree|tree2", "Shape."},
};
const chm_key_table table = {"block", keys, 4};

class key_table : public ::testing::Test {
protected:
    void SetUp() override {
        chm_diagnostics_init(&m_diagnostics);
        chm_keys_default(&table, &m_params);
    }
    void TearDown() override { chm_diagnostics_free(&m_diagnostics); }
    chm_status set(const char* key, const char* value) {
        return chm_key_set(chm_keys_find(&table, key), &m_params, value, &m_origin, &m_diagnostics);
    }
    std::string refused(const char* key, const char* value) {
        chm_diagnostics_free(&m_diagnostics);
        EXPECT_EQ(set(key, value), chm_bad_input) << value;
        return chm_diagnostics_text(&m_diagnostics);
    }

    params m_params{};
    chm_origin m_origin{"f.yaml", 3, 7};
    chm_diagnostics m_diagnostics{};
};

} // namespace

TEST_F(key_table, has_defaults_and_finds_keys) {
    EXPECT_EQ(m_params.size, 256u);
    EXPECT_EQ(m_params.rate, 1.5);
    EXPECT_TRUE(m_params.on);
    EXPECT_EQ(m_params.shape, 1u);
    EXPECT_EQ(chm_keys_find(&table, "siz"), nullptr);
}

TEST_F(key_table, takes_what_is_allowed) {
    EXPECT_EQ(set("size", "64KiB"), chm_ok);
    EXPECT_EQ(m_params.size, 65536u);
    EXPECT_EQ(set("size", "1_024"), chm_ok);
    EXPECT_EQ(m_params.size, 1024u);
    EXPECT_EQ(set("rate", "1.7"), chm_ok);
    EXPECT_EQ(m_params.rate, 1.7);
    EXPECT_EQ(set("on", "no"), chm_ok);
    EXPECT_FALSE(m_params.on);
    EXPECT_EQ(set("shape", "tree2"), chm_ok);
    EXPECT_EQ(m_params.shape, 2u);
}

TEST_F(key_table, names_place_key_value_and_what_is_allowed) {
    const std::string size = "; allowed: integer 1 .. 65536 bytes\n";
    for (const char* bad :
         {"-1", "0", "65537", "1.5", "", "x", "1e3", " 1", "1 ", "9223372036854775808",
          "18446744073709551616", "16777216TiB", "_1", "1_", "1__0", "KiB"}) {
        EXPECT_EQ(refused("size", bad),
                  "f.yaml:3:7: key 'size': got '" + std::string(bad) + "'" + size);
    }
    for (const char* bad : {"nan", "inf", "0", "10.01", "1,5", "", "0x1p1", "1.5GHz"}) {
        EXPECT_EQ(refused("rate", bad), "f.yaml:3:7: key 'rate': got '" + std::string(bad) +
                                            "'; allowed: number 0.1 .. 10 GHz\n");
    }
    EXPECT_EQ(refused("on", "1"), "f.yaml:3:7: key 'on': got '1'; allowed: on, off, true, false, "
                                  "yes, no\n");
    EXPECT_EQ(refused("shape", "tre"),
              "f.yaml:3:7: key 'shape': got 'tre'; allowed: ring, tree, tree2\n");
    EXPECT_EQ(m_params.size, 256u) << "a refused value changes nothing";
}

TEST_F(key_table, formats_what_it_reads_back) {
    m_params = {12345, 0.1, false, 2};
    params copy{};
    for (const chm_key& key : keys) {
        char buffer[64];
        chm_key_format(&key, &m_params, buffer, sizeof buffer);
        EXPECT_EQ(chm_key_set(&key, &copy, buffer, &m_origin, &m_diagnostics), chm_ok) << buffer;
    }
    EXPECT_EQ(copy.size, 12345u);
    EXPECT_EQ(copy.rate, 0.1);
    EXPECT_FALSE(copy.on);
    EXPECT_EQ(copy.shape, 2u);
}
