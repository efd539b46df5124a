// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "traces/graph.h"

namespace {

const std::string header = "id,kind,die,destination,bytes,cycles,after\n";

class graph : public testing::Test {
protected:
    graph() {
        chm_arena_init(&m_arena);
        chm_diagnostics_init(&m_diagnostics);
    }
    ~graph() override {
        chm_arena_free(&m_arena);
        chm_diagnostics_free(&m_diagnostics);
    }

    chm_status read(const std::string& path, uint32_t dies) {
        chm_diagnostics_free(&m_diagnostics);
        return chm_graph_read(path.c_str(), dies, &m_arena, &m_graph, &m_ids, &m_diagnostics);
    }

    chm_status read_text(const std::string& text, uint32_t dies = 4) {
        std::string path = testing::TempDir() + "graph_test_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
        std::ofstream(path, std::ios::binary) << text;
        chm_status status = read(path, dies);
        std::remove(path.c_str());
        return status;
    }

    std::string messages() const { return chm_diagnostics_text(&m_diagnostics); }

    std::vector<uint32_t> after(uint32_t node) const {
        return {m_graph.after + m_graph.first_after[node],
                m_graph.after + m_graph.first_after[node + 1]};
    }

    chm_arena m_arena;
    chm_diagnostics m_diagnostics;
    chm_graph m_graph{};
    const uint64_t* m_ids = nullptr;
};

TEST_F(graph, reads_nodes_in_order_of_ids) {
    ASSERT_EQ(read_text(header + "30,send,1,1,0,,20  10\r\n"
                                 "10,send,0,3,4096,,\n"
                                 "\n"
                                 "20,compute,3,,,7,10"), // no end of line
              chm_ok)
        << messages();
    ASSERT_EQ(m_graph.node_count, 3u);
    EXPECT_EQ(m_ids[0], 10u);
    EXPECT_EQ(m_ids[2], 30u);
    EXPECT_EQ(m_graph.nodes[0].destination, 3u);
    EXPECT_EQ(m_graph.nodes[0].bytes, 4096u);
    EXPECT_EQ(m_graph.nodes[1].kind, chm_graph_compute);
    EXPECT_EQ(m_graph.nodes[1].cycles, 7u);
    EXPECT_EQ(m_graph.nodes[2].kind, chm_graph_send);
    EXPECT_EQ(after(0), (std::vector<uint32_t>{}));
    EXPECT_EQ(after(1), (std::vector<uint32_t>{0}));
    EXPECT_EQ(after(2), (std::vector<uint32_t>{0, 1}));
}

TEST_F(graph, a_header_alone_is_an_empty_graph) {
    EXPECT_EQ(read_text(header), chm_ok);
    EXPECT_EQ(m_graph.node_count, 0u);
    EXPECT_EQ(read_text("\xef\xbb\xbf" + header), chm_ok) << messages();
}

TEST_F(graph, faults_name_place_value_and_what_is_allowed) {
    const std::pair<std::string, std::string> files[] = {
        {"", ":1:1: got header ''; allowed: id,kind,die,"},
        {"id,kind\n", ":1:1: got header 'id,kind'"},
        {header + "0,send,4,0,1,,\n", ":2:8: key 'die': got '4'; allowed: integer 0 .. 3"},
        {header + "0,send,0,4,1,,\n", ":2:10: key 'destination': got '4'; allowed: integer 0 .. 3"},
        {header + "0,send,0,1,-1,,\n", ":2:12: key 'bytes': got '-1'; allowed: integer 0 .. "},
        {header + "0,send,0,1,18446744073709551616,,\n", "got '18446744073709551616'"},
        {header + "0,send,0,1,1099511627777,,\n", "allowed: integer 0 .. 1099511627776"},
        {header + "18446744073709551616,send,0,1,1,,\n", ":2:1: key 'id': got '184467440737"},
        {header + "0,send,0,1,1KiB,,\n", "key 'bytes': got '1KiB'"},
        {header + "0,send,0,1,,,\n", "key 'bytes': got ''"},
        {header + "0,send,0,1,1,5,\n", ":2:14: key 'cycles': got '5'; allowed in a send: nothing"},
        {header + "0,compute,0,1,,5,\n", ":2:13: key 'destination': got '1'; allowed in a compute"},
        {header + "0,compute,0,,,,\n", "key 'cycles': got ''"},
        {header + "0,recv,0,1,1,,\n", ":2:3: key 'kind': got 'recv'; allowed: send, compute"},
        {header + "0,send,0,1,1,\n", ":2:1: got 6 fields; allowed: 7"},
        {header + "0,send,0,1,1,,,\n", ":2:1: got 8 fields; allowed: 7"},
        {header + "0,send,0,1,1,,7\n", ":2:15: key 'after': got '7'; allowed: ids of this file"},
        {header + "0,send,0,1,1,,\n1,send,0,1,1,,0 x\n", ":3:17: key 'after': got 'x'"},
        {header + "0,send,0,1,1,,\n1,send,0,1,1,,0 0\n", ":3:15: key 'after': got '0' twice"},
        {header + "5,send,0,1,1,,\n5,send,0,1,1,,\n", ":3:1: key 'id': got '5', which line 2 has"},
        {header + "0,send,0,1,1,,0\n", ":2:1: key 'after': a circle, 0 after 0;"},
        {header + "0,send,0,1,1,,2\n1,send,0,1,1,,0\n2,send,0,1,1,,1\n3,send,0,1,1,,2\n",
         "a circle, 0 after 2 after 1 after 0; allowed: no circles"},
        {header + std::string("0,se\0nd,0,1,1,,\n", 16), "key 'kind': got 'se?nd'"},
    };
    for (const auto& [text, message] : files) {
        EXPECT_EQ(read_text(text), chm_bad_input) << text;
        EXPECT_NE(messages().find(message), std::string::npos) << message << "\nin\n"
                                                               << messages() << "of\n"
                                                               << text;
    }
}

TEST_F(graph, all_faults_come_at_once_up_to_a_limit) {
    EXPECT_EQ(read_text(header + "0,send,9,9,x,,\n1,recv,0,,,,\n"), chm_bad_input);
    EXPECT_EQ(m_diagnostics.errors, 4u) << messages();
    std::string many = header;
    for (int i = 0; i < 1000; ++i) {
        many += "0,send,9,0,1,,\n";
    }
    EXPECT_EQ(read_text(many), chm_bad_input);
    EXPECT_EQ(m_diagnostics.errors, 101u);
    EXPECT_NE(messages().find("more than 100 faults"), std::string::npos);
}

TEST_F(graph, files_that_cannot_be_read) {
    EXPECT_EQ(read("/nonexistent/graph.csv", 4), chm_io);
    EXPECT_NE(messages().find("/nonexistent/graph.csv: cannot read"), std::string::npos);
    EXPECT_EQ(read(CHM_SOURCE_DIR, 4), chm_io);
    EXPECT_EQ(read("x.csv", 0), chm_bad_argument);
}

// A line longer than the read buffer, and one that ends exactly at its border.
TEST_F(graph, long_lines) {
    std::string text = header;
    std::string all;
    for (int i = 0; i < 20000; ++i) {
        text += std::to_string(i) + ",send,0,1,1,,\n";
        all += std::to_string(i) + " ";
    }
    ASSERT_EQ(read_text(text + "20000,compute,0,,,1," + all + "\n"), chm_ok) << messages();
    EXPECT_EQ(after(20000).size(), 20000u);
    for (size_t padding = 65530; padding < 65542; ++padding) {
        std::string line = "0,send,0,1,1,,";
        line += std::string(padding - header.size() - line.size(), ' ') + "\n";
        ASSERT_EQ(read_text(header + line + "1,send,0,1,1,,0\n"), chm_ok) << messages();
        ASSERT_EQ(m_graph.node_count, 2u);
    }
}

// Damaged in random places, a file either reads or is refused with a message.
TEST_F(graph, damaged_files_are_read_or_refused) {
    std::string good = header;
    for (int i = 0; i < 20; ++i) {
        good += i % 5 == 4 ? std::to_string(i) + ",compute,2,,,9," + std::to_string(i - 1) + "\n"
                           : std::to_string(i) + ",send,0,1,256,,\n";
    }
    const std::string letters = "0123456789,, \n\r-x\xff";
    int refused = 0;
    for (uint64_t seed = 0; seed < 500; ++seed) {
        std::string text = good;
        for (uint64_t i = 0; i < 1 + seed % 4; ++i) {
            uint64_t hash = chm_hash2(seed, i);
            text[hash % text.size()] = letters[(hash >> 32) % letters.size()];
        }
        chm_status status = read_text(text);
        ASSERT_TRUE(status == chm_ok || status == chm_bad_input) << text;
        ASSERT_EQ(status == chm_ok, messages().empty()) << text;
        refused += status != chm_ok;
    }
    EXPECT_GT(refused, 100);
    EXPECT_LT(refused, 500);
}

const std::map<std::string, uint32_t> platform_dies = {
    {"mesh_5x5", 25},  {"mesh_8x8", 64},    {"mesh_16x16", 256}, {"torus_4x4", 16},
    {"torus_8x8", 64}, {"torus_4x4x4", 64}, {"torus_2x2x2", 8},  {"fat_tree_2x8", 16}};

std::vector<std::vector<std::string>> rows(const std::string& file) {
    std::ifstream in(CHM_SOURCE_DIR "/tests/reference/" + file);
    std::vector<std::vector<std::string>> result;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::vector<std::string> row;
        std::stringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) {
            row.push_back(field);
        }
        result.push_back(row);
    }
    return result;
}

TEST_F(graph, reads_every_reference_graph) {
    int graphs = 0;
    for (const auto& row : rows("transitions.csv")) {
        if (row.size() == 6) {
            ASSERT_EQ(read(CHM_SOURCE_DIR "/tests/reference/" + row[5], platform_dies.at(row[2])),
                      chm_ok)
                << messages();
            EXPECT_GT(m_graph.node_count, 0u);
            graphs++;
        }
    }
    EXPECT_EQ(graphs, 48);
}

TEST_F(graph, reads_every_reference_message_set_whole) {
    int sets = 0;
    for (const auto& row : rows("messages.csv")) {
        ASSERT_EQ(read(CHM_SOURCE_DIR "/tests/reference/messages/" + row[0] + ".csv",
                       platform_dies.at(row[1])),
                  chm_ok)
            << messages();
        uint64_t bytes = 0;
        for (uint32_t n = 0; n < m_graph.node_count; ++n) {
            EXPECT_EQ(m_graph.nodes[n].kind, chm_graph_send);
            bytes += m_graph.nodes[n].bytes;
        }
        EXPECT_EQ(std::to_string(m_graph.node_count), row[2]) << row[0];
        EXPECT_EQ(std::to_string(bytes), row[3]) << row[0];
        sets++;
    }
    EXPECT_EQ(sets, 13);
}

TEST_F(graph, written_files_read_the_same) {
    const std::string text = header + "3,send,0,3,4096,,\n"
                                      "4,compute,3,,,7,3\n"
                                      "4294967303,send,3,1,0,,3 4\n";
    ASSERT_EQ(read_text(text), chm_ok) << messages();
    const std::string path = testing::TempDir() + "graph_test_written.csv";
    chm_graph_file* file = nullptr;
    ASSERT_EQ(chm_graph_file_create(&file, path.c_str(), &m_diagnostics), chm_ok) << messages();
    EXPECT_FALSE(std::ifstream(path).good()); // not before it is whole
    ASSERT_EQ(chm_graph_file_commit(file, &m_graph, &m_diagnostics), chm_ok) << messages();
    std::ostringstream written;
    written << std::ifstream(path).rdbuf();
    EXPECT_EQ(written.str(), text);
    std::remove(path.c_str());
    EXPECT_FALSE(std::ifstream(path + ".part").good());
}

// Lines in any order make the same graph: ids that descend, dependencies on lines further down.
TEST_F(graph, lines_may_come_in_any_order) {
    std::vector<std::string> lines;
    for (uint32_t id = 0; id < 500; ++id) {
        std::ostringstream line;
        line << id * 7 << ",send," << id % 4 << "," << (id + 1) % 4 << "," << id << ",,";
        for (uint32_t back = 1; back < 4 && back <= id; ++back) {
            line << (back > 1 ? " " : "") << (id - back) * 7;
        }
        lines.push_back(line.str() + "\n");
    }
    std::string text = header;
    for (const std::string& line : lines) {
        text += line;
    }
    ASSERT_EQ(read_text(text), chm_ok) << messages();
    std::vector<std::vector<uint32_t>> expected;
    for (uint32_t node = 0; node < 500; ++node) {
        expected.push_back(after(node));
        EXPECT_EQ(expected.back().size(), std::min(node, 3u));
    }
    for (uint64_t seed = 0; seed < 3; ++seed) {
        for (size_t i = lines.size(); i > 1; --i) {
            std::swap(lines[i - 1], lines[chm_hash2(seed, i) % i]);
        }
        text = header;
        for (const std::string& line : lines) {
            text += line;
        }
        ASSERT_EQ(read_text(text), chm_ok) << messages();
        for (uint32_t node = 0; node < 500; ++node) {
            EXPECT_EQ(m_graph.nodes[node].bytes, node);
            EXPECT_EQ(m_ids[node], node * 7);
            EXPECT_EQ(after(node), expected[node]);
        }
    }
}

} // namespace
