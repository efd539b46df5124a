// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/trace/catalog.h"
#include "hw/trace/due_list.h"
#include "hw/trace/output_file.h"
#include "hw/trace/selection.h"
#include "hw/trace/sink.h"

namespace chimera::trace {

// A timeline in the trace event format that Chrome's about:tracing and Perfetto read. A process per
// die, with tracks for its program, its array, its gating unit, its engine's runs (as many tracks
// as runs overlap, each run with its stretches inside), each DMA channel, and what arrives (as many
// tracks as messages overlap); a process per router with a track per link, on which packets of one
// run in close succession are one span. An arrow leads from each message's span on its channel to
// its span where it arrives. Times are in microseconds, as the format asks, with all digits.
class timeline : public sink {
public:
    timeline(const catalog& map, const selection& wanted);

    // False, with errno, if the file cannot be opened.
    bool open(const std::string& path);

    void advance(uint64_t until) override;
    bool flush() override { return m_file.flush(); }
    bool finish(uint64_t last) override;
    uint64_t late() const override { return m_late; }

    void run(uint32_t die, uint32_t seq, run_step step, const std::string* name,
             uint64_t cycle) override;
    void operation(uint32_t die, uint32_t seq, uint64_t from, uint64_t to) override;
    void host(uint32_t die, host_state doing, uint32_t seq, uint64_t cycle) override;
    void compute(uint32_t die, uint32_t seq, uint64_t cycle) override;
    void channel_begins(uint32_t die, uint32_t channel, const message_note& message, uint64_t cycle,
                        uint64_t ready) override;
    void channel_ends(uint32_t die, uint32_t channel, uint64_t cycle) override;
    void arrived(const packet_note& packet, uint64_t cycle) override;
    void hop(const hop_note& note) override;

private:
    struct track {
        uint32_t process, thread;
    };
    struct stretch { // of a host or an array
        host_state doing = host_state::ready;
        uint32_t seq = none;
        uint64_t since = 0;
    };
    struct run_span {
        std::string name;
        uint32_t lane = 0;
        std::array<uint64_t, 5> at = {}; // [run_step]
        bool complete = false;           // decided within the trace
    };
    struct sending { // by a channel
        message_note message;
        uint64_t since = 0;
        bool busy = false;
    };
    struct receiving {
        uint64_t since = 0, arrived = 0, expected = 0; // expected: 0 until the last packet is here
        uint64_t bytes = 0;
        uint32_t lane = 0;
    };
    struct link_span {
        uint32_t seq = none;
        uint64_t since = 0, until = 0, packets = 0, cycles = 0;
    };
    struct hop_item {
        uint32_t link, seq, packets;
        uint64_t cycles;
    };
    using lanes = std::vector<uint64_t>;         // cycle from which each is free
    using message_key = std::array<uint64_t, 4>; // source, destination, seq, transfer

    void begin_event(char phase, track where, const std::string& name, uint64_t cycle);
    void put_time(const char* key, uint64_t cycle);
    void name_track(track where, const std::string& process, const std::string& thread);
    // False if the window has nothing of it.
    bool span(track where, const std::string& name, uint64_t from, uint64_t to,
              const std::string& arguments = "");
    void flow(char phase, track where, uint64_t cycle, uint64_t id);
    std::string operation_text(uint32_t seq) const;
    static uint32_t take_lane(lanes& all, uint64_t from);
    track die_track(uint32_t die, uint32_t thread, const std::string& name);
    void end_host(uint32_t die, uint64_t cycle);
    void end_compute(uint32_t die, uint64_t cycle);
    void end_run(uint32_t die, const run_span& run, uint64_t cycle);
    void end_message(const message_key& key, const receiving& message, uint64_t cycle);
    void end_link(uint32_t link);

    const catalog& m_map;
    const selection m_wanted;
    output_file m_file;
    bool m_first = true;
    std::set<uint64_t> m_named;
    uint64_t m_flows = 0, m_settled = 0, m_late = 0;
    std::vector<stretch> m_hosts, m_arrays;
    std::vector<lanes> m_run_lanes, m_arrival_lanes;          // [die]
    std::map<std::pair<uint32_t, uint32_t>, run_span> m_runs; // [die, seq]
    std::vector<sending> m_channels;                          // [die * channels + channel]
    std::map<message_key, std::pair<track, uint64_t>> m_sent; // where and since when
    std::map<message_key, receiving> m_arriving;
    due_list<hop_item> m_hops;
    std::vector<uint32_t> m_first_link; // [node] into m_links
    std::vector<std::pair<uint32_t, uint32_t>> m_link_ports;
    std::vector<link_span> m_links;
};

} // namespace chimera::trace
