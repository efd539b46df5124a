// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "hw/fabric/replay.h"
#include "tests/support/built_topology.h"
#include "tests/support/json_value.h"
#include "tests/support/message_graph.h"
#include "tests/support/traced_run.h"

namespace {

using namespace chimera;
using namespace chimera::test;

trace::trace_request request_of(const std::string& name) {
    trace::trace_request request;
    request.timeline = trace_path(name + ".json");
    request.packet_log = trace_path(name + ".csv");
    return request;
}

struct span {
    uint64_t from, to; // ps
    std::string name;
};
using track = std::pair<std::string, std::string>; // process, thread

// A timeline, taken apart and checked for what every one must have.
struct read_timeline {
    explicit read_timeline(const std::string& path) : root(json_value::read(path)) {
        EXPECT_EQ(root.type, json_value::kind::object) << "no JSON";
        std::map<std::string, std::string> processes, threads;
        for (const json_value& event : root["traceEvents"].items) {
            const std::string pid = event["pid"].text, tid = pid + "/" + event["tid"].text;
            if (event["name"].text == "process_name") {
                processes[pid] = event["args"]["name"].text;
            } else if (event["name"].text == "thread_name") {
                EXPECT_TRUE(threads.insert({tid, event["args"]["name"].text}).second) << tid;
            }
        }
        for (const json_value& event : root["traceEvents"].items) {
            const std::string pid = event["pid"].text, tid = pid + "/" + event["tid"].text;
            const track where = {processes[pid], threads[tid]};
            const uint64_t at = event["ts"].millionths();
            if (event["ph"].text == "X") {
                EXPECT_NE(event["dur"].text[0], '-');
                spans[where].push_back({at, at + event["dur"].millionths(), event["name"].text});
            } else if (event["ph"].text == "s") {
                EXPECT_TRUE(starts.insert({event["id"].text, {where, at}}).second);
            } else if (event["ph"].text == "f") {
                EXPECT_TRUE(ends.insert({event["id"].text, {where, at}}).second);
            }
        }
    }

    // Whatever overlaps on a track is one inside the other.
    void check_nested() const {
        for (const auto& [where, all] : spans) {
            std::vector<span> sorted = all, open;
            std::stable_sort(sorted.begin(), sorted.end(), [](const span& a, const span& b) {
                return a.from != b.from ? a.from < b.from : a.to > b.to;
            });
            for (const span& item : sorted) {
                while (!open.empty() && open.back().to <= item.from) {
                    open.pop_back();
                }
                EXPECT_TRUE(open.empty() || item.to <= open.back().to)
                    << where.first << " " << where.second << ": " << item.name << " at "
                    << item.from << " ends after " << open.back().name;
                open.push_back(item);
            }
        }
    }

    bool has_span_at(const track& where, uint64_t at) const {
        const auto found = spans.find(where);
        return found != spans.end() &&
               std::any_of(found->second.begin(), found->second.end(),
                           [at](const span& item) { return item.from <= at && at <= item.to; });
    }

    // Each arrow has both ends, no earlier than it starts, and each end is in a span of its track.
    void check_arrows() const {
        EXPECT_EQ(starts.size(), ends.size());
        for (const auto& [id, start] : starts) {
            ASSERT_EQ(ends.count(id), 1u) << id;
            const auto& [to, arrival] = ends.at(id);
            EXPECT_LT(start.second, arrival) << id;
            EXPECT_TRUE(has_span_at(start.first, start.second)) << id;
            EXPECT_TRUE(has_span_at(to, arrival)) << id;
        }
    }

    json_value root;
    std::map<track, std::vector<span>> spans;
    std::map<std::string, std::pair<track, uint64_t>> starts, ends; // by id
};

struct log_line {
    uint64_t cycle, packets, waited;
    std::string to;
};

std::vector<log_line> read_log(const std::string& path) {
    std::ifstream in(path);
    std::string line, field;
    std::getline(in, line);
    EXPECT_EQ(line, "time_ps,cycle,message,packet,packets,source,destination,operation,transfer,"
                    "from,to,in_port,out_port,flits,waited");
    std::vector<log_line> lines;
    while (std::getline(in, line)) {
        std::stringstream text(line);
        std::vector<std::string> fields;
        while (std::getline(text, field, ',')) {
            fields.push_back(field);
        }
        EXPECT_EQ(fields.size(), 15u) << line;
        lines.push_back(
            {std::stoull(fields[1]), std::stoull(fields[4]), std::stoull(fields[14]), fields[10]});
    }
    return lines;
}

uint64_t hops_between_routers(const std::vector<log_line>& lines) {
    uint64_t hops = 0;
    for (const log_line& line : lines) {
        hops += line.to.rfind("die", 0) == 0 ? 0 : line.packets;
    }
    return hops;
}

class timeline_of : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(programs, timeline_of,
                         testing::Combine(testing::Values("tp_sp", "tp_pp", "tp_ep", "pp_ep",
                                                          "sp_pp", "sp_ep", "sp_pp_full"),
                                          testing::Values("at", "lt")));

TEST_P(timeline_of, is_well_formed_and_counts_every_hop) {
    const auto [program, fidelity] = GetParam();
    for (const char* platform : {"torus_4x4", "fat_tree_2x8"}) {
        const settings set = {{"fidelity", fidelity}, {"clock_ghz", "1.3"}};
        traced_run traced(platform, program, request_of("timeline"), set);
        traced.finish();
        const read_timeline file(traced.request.timeline);
        file.check_nested();
        file.check_arrows();
        size_t messages = 0; // each has an arrow
        for (const auto& [where, spans] : file.spans) {
            messages += where.second.rfind("channel", 0) == 0 ? spans.size() : 0;
        }
        EXPECT_GE(messages, 4u);
        EXPECT_EQ(file.starts.size(), messages);
        const std::vector<log_line> lines = read_log(traced.request.packet_log);
        EXPECT_TRUE(
            std::is_sorted(lines.begin(), lines.end(),
                           [](const log_line& a, const log_line& b) { return a.cycle < b.cycle; }));
        EXPECT_EQ(hops_between_routers(lines), traced.machine->statistics().packet_hops);
    }
}

// The engine's track has the run that it made of three operations, with what it consists of.
TEST(timeline, names_fused_runs) {
    traced_run traced("torus_4x4", "tp_pp", request_of("names"));
    traced.finish();
    const read_timeline file(traced.request.timeline);
    const std::vector<span>& engine = file.spans.at({"die_0_0", "engine"});
    const auto whole = std::find_if(engine.begin(), engine.end(), [](const span& item) {
        return item.name == "all_reduce + many_to_many + all_gather";
    });
    ASSERT_NE(whole, engine.end());
    uint64_t sum = 0;
    for (const span& item : engine) {
        sum += item.name == whole->name ? 0 : item.to - item.from;
    }
    EXPECT_EQ(sum, whole->to - whole->from); // the stretches leave no gap
    for (const track& where : {track{"die_0_0", "program"}, track{"die_0_0", "channel 0"},
                               track{"router_0_0", "to router_1_0"}}) {
        EXPECT_EQ(file.spans.count(where), 1u) << where.second;
    }
}

TEST(timeline, is_cut_to_a_window_and_scopes) {
    trace::trace_request request = request_of("cut");
    request.window = "500c:900c";
    request.scopes = {"die_0_0", "die_1_0"};
    traced_run traced("torus_4x4", "tp_pp", request);
    traced.finish();
    const read_timeline file(traced.request.timeline);
    file.check_nested();
    file.check_arrows();
    EXPECT_FALSE(file.spans.empty());
    for (const auto& [where, spans] : file.spans) {
        EXPECT_TRUE(where.first == "die_0_0" || where.first == "die_1_0") << where.first;
        for (const span& item : spans) {
            EXPECT_GE(item.from, 500000u);
            EXPECT_LE(item.to, 900000u);
        }
    }
    EXPECT_TRUE(read_log(request.packet_log).empty()); // no router is selected
}

// Stopped in the middle: what is open is closed there.
TEST(timeline, of_a_stopped_trace_is_whole) {
    traced_run traced("torus_4x4", "tp_pp", request_of("stopped"));
    traced.run(2000000);
    traced.stop();
    const read_timeline file(traced.request.timeline);
    file.check_nested();
    file.check_arrows();
    for (const auto& [where, spans] : file.spans) {
        for (const span& item : spans) {
            EXPECT_LE(item.to, 2010000u) << where.second; // a link's last packet may end after
        }
    }
}

// Packets of 256 bytes and a header are 7 flits. With nobody in the way they wait nowhere. Where
// two dies send 4 each to a third, packet i of both comes to its ejection port 7 i cycles after the
// first. The port takes them in turn: the last of 8 goes 7 * 7 cycles after the first, having come
// after 3 * 7, so it waits 4 * 7.
TEST(packet_log, says_how_long_packets_waited) {
    const built_topology topology = built_topology::mesh({3, 1});
    message_graph graph;
    graph.send(0, 1, 1024);
    trace::trace_request request = request_of("replay");
    fabric::fabric_params params;
    ASSERT_EQ(fabric::run_replay(*topology, params, graph.get(), &request).status, chm_ok);
    std::vector<log_line> lines = read_log(request.packet_log);
    EXPECT_EQ(lines.size(), 4u * 2); // a link and an ejection each
    for (const log_line& line : lines) {
        EXPECT_EQ(line.waited, 0u);
    }
    graph.send(2, 1, 1024);
    const fabric::replay_result result =
        fabric::run_replay(*topology, params, graph.get(), &request);
    lines = read_log(request.packet_log);
    EXPECT_EQ(hops_between_routers(lines), result.packet_hops);
    uint64_t longest = 0;
    for (const log_line& line : lines) {
        longest = std::max(longest, line.waited);
    }
    EXPECT_EQ(longest, 4u * 7);
    const read_timeline file(request.timeline);
    file.check_nested();
    file.check_arrows();
    EXPECT_EQ(file.starts.size(), 2u);
    std::remove(request.timeline.c_str());
    std::remove(request.packet_log.c_str());
}

// Trains carry packets together only where nobody looks; the result is the same.
TEST(packet_log, of_a_replay_sees_each_packet_at_the_same_cycles) {
    const built_topology topology = built_topology::shipped("mesh_5x5");
    message_graph graph;
    for (uint32_t die = 0; die < 25; ++die) {
        graph.send(die, (die * 7 + 3) % 25, 40000 + 1000 * die);
    }
    for (const chm_fidelity fidelity : {chm_fidelity_at, chm_fidelity_lt}) {
        fabric::fabric_params params;
        params.fidelity = fidelity;
        trace::trace_request request = request_of("trains");
        request.vcd = trace_path("trains.vcd");
        const fabric::replay_result plain = fabric::run_replay(*topology, params, graph.get());
        const fabric::replay_result traced =
            fabric::run_replay(*topology, params, graph.get(), &request);
        ASSERT_EQ(traced.status, chm_ok) << traced.text;
        EXPECT_EQ(traced.cycles, plain.cycles);
        EXPECT_EQ(traced.trace_late, 0u);
        EXPECT_EQ(traced.latency_mean, plain.latency_mean);
        EXPECT_EQ(hops_between_routers(read_log(request.packet_log)), plain.packet_hops);
        for (const std::string& path : request.files()) {
            EXPECT_EQ(std::remove(path.c_str()), 0) << path;
        }
    }
}

} // namespace
