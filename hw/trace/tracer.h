// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/base/diagnostics.h"
#include "hw/trace/catalog.h"
#include "hw/trace/selection.h"
#include "hw/trace/sink.h"

namespace chimera::trace {

// What to write; an empty path: not that.
struct trace_request {
    std::string vcd; // and beside it what shows it (vcd_layout.h)
    std::string timeline;
    std::string packet_log;
    std::vector<std::string> scopes; // as selection has them
    std::string window;              // as parse_window reads it; empty: all

    std::vector<std::string> files() const; // all that would be written
    bool empty() const { return vcd.empty() && timeline.empty() && packet_log.empty(); }
};

// The most cycles after the cycle at which something in a machine is due that it is told.
uint64_t latest(const chm_topology& topology);

// Observes a machine and passes what it hears to the files that are asked for, with word of how far
// they are complete. Ends with finish(); flushes what is there when destroyed.
class tracer : public observer {
public:
    // `now` gives the machine's present cycle. The files are opened, none if there is a fault:
    // chm_bad_argument for a scope that is not there or a window that is none, chm_io.
    static chm_status start(std::unique_ptr<tracer>& made, const machine_shape& shape,
                            const trace_request& request, std::function<uint64_t()> now,
                            chm_diagnostics* diagnostics);
    ~tracer() override;

    const selection& wanted() const { return m_wanted; }
    const catalog& map() const { return m_map; }
    // The observer of a module: null where nothing of it is wanted.
    observer* of_die(uint32_t die) { return touched(m_map.die_scope(die)); }
    observer* of_node(uint32_t node) { return touched(m_map.node_scope(node)); }

    // What is certain is in the files. False if something could not be written.
    bool flush();
    // All due until now has been told: the trace ends here. False as above; a second call does
    // nothing.
    bool finish();
    const std::string& unwritten() const { return m_unwritten; } // the first such file, or empty
    uint64_t late() const;                                       // see sink

    void engine(uint32_t die, const engine_note& note, uint64_t cycle) override;
    void run(uint32_t die, uint32_t seq, run_step step, const std::string* name,
             uint64_t cycle) override;
    void operation(uint32_t die, uint32_t seq, uint64_t from, uint64_t to) override;
    void host(uint32_t die, host_state state, uint32_t seq, uint64_t cycle) override;
    void compute(uint32_t die, uint32_t seq, uint64_t cycle) override;
    void channel_begins(uint32_t die, uint32_t channel, const message_note& message, uint64_t cycle,
                        uint64_t ready) override;
    void channel_ends(uint32_t die, uint32_t channel, uint64_t cycle) override;
    void arrived(const packet_note& packet, uint64_t cycle) override;
    void buffered(uint32_t node, uint32_t in_port, uint32_t in_vc, uint32_t flits,
                  uint64_t cycle) override;
    void hop(const hop_note& note) override;

private:
    tracer(const machine_shape& shape, std::function<uint64_t()> now);
    chm_status select(const trace_request& request, chm_diagnostics* diagnostics);
    chm_status open(const trace_request& request, chm_diagnostics* diagnostics);
    template<typename File>
    chm_status open_file(std::unique_ptr<File> file, const std::string& path,
                         const std::vector<std::string>& writes, chm_diagnostics* diagnostics);
    void withdraw();
    observer* touched(const std::string& scope) { return m_wanted.touches(scope) ? this : nullptr; }
    void complete();
    template<typename Tell> void tell(const Tell& tell);
    template<typename Write> bool write(const Write& write);

    catalog m_map;
    selection m_wanted;
    std::function<uint64_t()> m_now;
    uint64_t m_latest;
    uint32_t m_told = 0; // since the last word of how far all is complete
    bool m_finished = false;
    std::vector<std::unique_ptr<sink>> m_sinks;
    std::vector<std::string> m_paths; // of m_sinks
    std::string m_unwritten;
    std::vector<std::string> m_opened; // paths
};

} // namespace chimera::trace
