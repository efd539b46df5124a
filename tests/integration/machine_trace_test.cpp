// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/support/traced_run.h"
#include "tests/support/vcd_file.h"

namespace {

using namespace chimera;
using namespace chimera::test;

std::vector<std::string> shipped_programs() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(CHM_SOURCE_DIR "/traces")) {
        if (entry.path().extension() == ".yaml") {
            names.insert(entry.path().stem());
        }
    }
    return {names.begin(), names.end()};
}

uint64_t number(const std::string& bits) {
    return std::stoull(bits, nullptr, 2);
}

// All programs, both fidelities, with and without.
TEST(machine_trace, takes_the_same_cycles_and_events) {
    size_t ran = 0;
    for (const std::string& program : shipped_programs()) {
        for (const char* fidelity : {"at", "lt"}) {
            const settings set = {{"fidelity", fidelity}};
            const machine_run plain("torus_4x4", program, 8, 65536, {}, set);
            if (plain.result.status != chm_ok) {
                continue; // does not fit at this size
            }
            traced_run traced("torus_4x4", program, vcd_request("same"), set);
            traced.finish();
            ++ran;
            const die::machine_statistics after = traced.machine->statistics();
            EXPECT_EQ(after.cycles, plain.statistics.cycles) << program << " " << fidelity;
            EXPECT_EQ(after.packet_hops, plain.statistics.packet_hops) << program;
            EXPECT_EQ(after.kernel_activations, plain.statistics.kernel_activations) << program;
        }
    }
    EXPECT_GE(ran, 14u);
}

class trace_of_a_run : public testing::TestWithParam<const char*> {
protected:
    const settings set = {{"fidelity", GetParam()}, {"clock_ghz", "1.7"}};
};

INSTANTIATE_TEST_SUITE_P(fidelities, trace_of_a_run, testing::Values("at", "lt"));

TEST_P(trace_of_a_run, has_changes_in_every_scope_of_a_die_that_takes_part) {
    traced_run traced("torus_4x4", "tp_pp", vcd_request("scopes"), set);
    traced.finish();
    const vcd_file file(traced.request.vcd);
    EXPECT_TRUE(file.faults.empty()) << file.faults.front();
    EXPECT_EQ(file.timescale, "1 ps");
    for (size_t i = 1; i < file.times.size(); ++i) {
        ASSERT_LT(file.times[i - 1], file.times[i]);
    }
    std::map<std::string, size_t> changes; // by scope
    for (const auto& [name, history] : file.of) {
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_."),
                  std::string::npos);
        ASSERT_FALSE(history.empty()) << name;
        changes[name.substr(0, name.rfind('.'))] += history.size() - 1;
    }
    size_t scopes = 0;
    for (uint32_t die = 0; die < traced.driven.platform->topology.dies; ++die) {
        const std::string name = traced.driven.platform->topology.die_names[die];
        const bool takes_part = traced.machine->at(die).fusion_engine().runs_retired() > 0;
        for (const char* part : {".engine", ".program", ".dma"}) {
            ASSERT_EQ(changes.count(name + part), 1u);
            EXPECT_TRUE(!takes_part || changes[name + part] > 0) << name + part;
            scopes += takes_part ? 1 : 0;
        }
    }
    EXPECT_EQ(scopes, 8u * 3); // two stages of four dies
}

// What is in the file, summed up, is what the machine has counted.
TEST_P(trace_of_a_run, agrees_with_the_counters) {
    traced_run traced("torus_4x4", "tp_ep", vcd_request("counters"), set);
    traced.finish();
    const vcd_file file(traced.request.vcd);
    const chm_topology& topology = traced.driven.platform->topology;
    const trace::catalog map({&topology, nullptr, 1, 1}); // for names of links
    const auto cycle = [](uint64_t ps) { return chm_clock_ps_to_cycles(ps, 1700000); };
    uint64_t packets = 0;
    for (uint32_t id = 0; id < topology.link_count; ++id) {
        const chm_link& link = topology.links[id];
        uint64_t busy = 0, since = 0;
        for (const auto& [time, value] : file.of.at(map.path(
                 map.signals()[map.of_link(link.from_node, link.from_port, trace::busy_signal)]))) {
            busy += value == "0" && since != 0 ? cycle(time) - since : 0;
            since = value == "1" ? cycle(time) : 0;
        }
        EXPECT_EQ(busy, traced.machine->network().link_busy_cycles(id)) << id;
    }
    for (uint32_t die = 0; die < topology.dies; ++die) {
        const std::string name = topology.die_names[die];
        const uint64_t arrived = number(file.of.at(name + ".dma.arrived_packets").back().second);
        EXPECT_EQ(arrived, traced.machine->network().interface(die).statistics().ejected_packets);
        packets += arrived;
        const auto& registers = traced.machine->at(die).fusion_engine().registers();
        EXPECT_EQ(number(file.of.at(name + ".engine.fused").back().second), registers.fused);
        EXPECT_EQ(file.of.at(name + ".engine.state").back().second, "0"); // idle
    }
    EXPECT_GT(packets, 1000u);
    for (const auto& [name, history] : file.of) {
        if (name.find("_flits") != std::string::npos) {
            for (const auto& [time, value] : history) {
                EXPECT_LE(number(value), topology.vc_depth_flits) << name << " at " << time;
            }
            EXPECT_EQ(history.back().second, "0") << name;
        }
    }
}

TEST_P(trace_of_a_run, selected_by_scope_shows_the_same) {
    traced_run whole("torus_4x4", "tp_pp", vcd_request("whole"), set);
    trace::trace_request some = vcd_request("some");
    some.scopes = {"die_0_0", "die_1_0.engine", "router_0_0.to_router_1_0"};
    traced_run part("torus_4x4", "tp_pp", some, set);
    whole.finish();
    part.finish();
    const vcd_file all(whole.request.vcd), selected(some.vcd);
    // The whole of a die, the engine of another, a link: 13 + 1 + 4 * 4, 9, 4 signals.
    EXPECT_EQ(selected.of.size(), 30u + 9 + 4);
    for (const auto& [name, history] : selected.of) {
        EXPECT_EQ(history, all.of.at(name)) << name;
    }
    EXPECT_LT(std::filesystem::file_size(some.vcd) * 4,
              std::filesystem::file_size(whole.request.vcd));
}

TEST_P(trace_of_a_run, selected_by_time_shows_the_same) {
    traced_run whole("torus_4x4", "tp_pp", vcd_request("whole"), set);
    trace::trace_request some = vcd_request("some");
    some.window = "500c:900c";
    traced_run part("torus_4x4", "tp_pp", some, set);
    whole.finish();
    part.finish();
    const vcd_file all(whole.request.vcd), selected(some.vcd);
    const uint64_t begin = chm_clock_cycles_to_ps(500, 1700000);
    const uint64_t end = chm_clock_cycles_to_ps(900, 1700000);
    EXPECT_EQ(selected.times.front(), begin);
    EXPECT_EQ(selected.times.back(), end);
    for (const auto& [name, history] : all.of) {
        vcd_file::history expected = {{begin, all.at(name, begin)}};
        for (const auto& change : history) {
            if (change.first > begin && change.first <= end) {
                expected.push_back(change);
            }
        }
        EXPECT_EQ(selected.of.at(name), expected) << name;
    }
}

// A trace that is stopped has everything until then; one that begins in the middle shows at once
// what stands, but for links, on which it does not see what left before, and for channels that have
// handed several messages ahead to a loosely timed network, of which it sees the next.
TEST_P(trace_of_a_run, stopped_and_begun_again_shows_the_same) {
    traced_run whole("torus_4x4", "tp_pp", vcd_request("whole"), set);
    traced_run parts("torus_4x4", "tp_pp", vcd_request("first"), set);
    whole.finish();
    const uint64_t middle = chm_clock_cycles_to_ps(1500, 1700000);
    parts.run(middle);
    parts.stop();
    const vcd_file all(whole.request.vcd), first(parts.request.vcd);
    for (const std::string& path : parts.request.files()) {
        std::remove(path.c_str());
    }
    parts.request = vcd_request("second");
    ASSERT_EQ(parts.machine->start_trace(parts.request, nullptr), chm_ok);
    parts.finish();
    EXPECT_EQ(parts.machine->statistics().cycles, whole.machine->statistics().cycles);
    const vcd_file second(parts.request.vcd);
    EXPECT_LE(second.times.front(), middle); // where the run stands: its last event
    const uint64_t settled = chm_clock_cycles_to_ps(1500 + 400, 1700000);
    for (const auto& [name, history] : all.of) {
        vcd_file::history before;
        for (const auto& change : history) {
            if (change.first <= middle) {
                before.push_back(change);
            }
        }
        EXPECT_EQ(first.of.at(name), before) << name;
        const bool ahead =
            GetParam() == std::string("lt") && name.find(".dma.channel_") != std::string::npos;
        if (name.rfind("router", 0) == 0 || ahead) {
            EXPECT_EQ(second.at(name, settled), all.at(name, settled)) << name;
        } else if (name.find("arrived") == std::string::npos) {
            EXPECT_EQ(second.at(name, middle), all.at(name, middle)) << name;
        }
        if (name.find("arrived") == std::string::npos) {
            EXPECT_EQ(second.of.at(name).back().second, history.back().second) << name;
        }
    }
}

// What GTKWave's own tools make of it, there and back.
TEST(machine_trace, survives_the_way_through_fst) {
    if (std::system("command -v vcd2fst fst2vcd >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "vcd2fst and fst2vcd are not installed (package gtkwave)";
    }
    traced_run traced("torus_4x4", "tp_pp", vcd_request("there"));
    traced.finish();
    const std::string fst = trace_path("there.fst"), back = trace_path("back.vcd");
    ASSERT_EQ(std::system(("vcd2fst " + traced.request.vcd + " " + fst +
                           " >/dev/null 2>&1 && fst2vcd " + fst + " >" + back + " 2>/dev/null")
                              .c_str()),
              0);
    const vcd_file before(traced.request.vcd), after(back);
    ASSERT_EQ(after.of.size(), before.of.size());
    for (const auto& [name, history] : before.of) {
        for (const auto& [time, value] : history) {
            // There, vectors have all their digits.
            const std::string wide = after.at(name, time);
            const bool same = value == "z" ? wide.find_first_not_of('z') == std::string::npos
                                           : number(wide) == number(value);
            ASSERT_TRUE(same) << name << " at " << time << ": " << value << " became " << wide;
        }
    }
    std::remove(fst.c_str());
    std::remove(back.c_str());
}

// Each signal that the layout names is in the dump, and each file it refers to is there.
TEST(machine_trace, has_a_layout_beside_it) {
    traced_run traced("torus_4x4", "tp_pp", vcd_request("layout"));
    traced.finish();
    const vcd_file file(traced.request.vcd);
    const std::string stem = traced.request.vcd.substr(0, traced.request.vcd.size() - 4);
    std::ifstream in(stem + ".gtkw");
    std::string line, text;
    std::set<std::string> shown;
    while (std::getline(in, line)) {
        text += line + "\n";
        if (line.rfind("^1 ", 0) == 0) {
            EXPECT_TRUE(std::filesystem::exists(line.substr(3))) << line;
        } else if (line.rfind("+{", 0) == 0) {
            const std::string name = line.substr(line.find("} ") + 2);
            shown.insert(name.substr(0, name.find('[')));
            EXPECT_EQ(file.of.count(*shown.rbegin()), 1u) << line;
        }
    }
    EXPECT_NE(text.find("[dumpfile] \"" + traced.request.vcd + "\""), std::string::npos);
    // Both ends of the hand-over: a die of the first stage, and one of the second.
    for (const char* name : {"die_0_0.engine.state", "die_0_0.program.host_operation",
                             "die_0_0.engine.window", "die_0_0.dma.channel_0"}) {
        EXPECT_EQ(shown.count(name), 1u) << name;
    }
    std::ifstream operations(stem + ".operation.enum");
    std::getline(operations, line);
    EXPECT_EQ(line, "0 all_reduce");
}

TEST(machine_trace, refuses_and_leaves_nothing) {
    const auto refused = [](trace::trace_request request, chm_status status, const char* says) {
        traced_run traced("torus_2x2x2", "tp_sp", request);
        EXPECT_EQ(traced.status, status);
        EXPECT_NE(traced.text.find(says), std::string::npos) << traced.text;
        EXPECT_FALSE(traced.machine->tracing());
        for (const std::string& path : request.files()) {
            EXPECT_FALSE(std::filesystem::exists(path)) << path;
        }
    };
    trace::trace_request request = vcd_request("refused");
    request.scopes = {"die_0_0_0", "die_0_0_0.turbine", "die_9_9"};
    refused(request, chm_bad_argument, "scope 'die_9_9'");
    refused(request, chm_bad_argument, "scope 'die_0_0_0.turbine'");
    request.scopes.clear();
    request.window = "7c:3c";
    refused(request, chm_bad_argument, "window '7c:3c'");
    request.window.clear();
    request.timeline = request.vcd;
    refused(request, chm_bad_argument, "another one of the trace");
    const std::filesystem::path dump = request.vcd; // the same place in other words
    request.timeline = (dump.parent_path() / "." / dump.filename()).string();
    refused(request, chm_bad_argument, "another one of the trace");
    request.timeline = "/no/such/directory/t.json";
    refused(request, chm_io, "/no/such/directory/t.json: No such file");
    traced_run twice("torus_2x2x2", "tp_sp", vcd_request("twice"));
    EXPECT_EQ(twice.machine->start_trace(vcd_request("other"), nullptr), chm_bad_argument);
    twice.finish();
}

} // namespace
