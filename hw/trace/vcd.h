// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/trace/catalog.h"
#include "hw/trace/due_list.h"
#include "hw/trace/output_file.h"
#include "hw/trace/selection.h"
#include "hw/trace/sink.h"

namespace chimera::trace {

// A value change dump (IEEE 1364) of the selected signals, in units of 1 ps. Written on change:
// what does not change costs nothing. Changes are kept until nothing before them can come any more,
// so that they stand in the file at the time they are due, in order, each signal at most once at a
// time. Counters and states begin with 0; what is none is z.
class vcd : public sink {
public:
    // `map` must outlive the sink. Values are shown from cycle `from` or the selection's begin on.
    vcd(const catalog& map, const selection& wanted, uint64_t from);

    // False, with errno, if the file cannot be opened. Writes the declarations.
    bool open(const std::string& path);

    void advance(uint64_t until) override;
    bool flush() override { return m_file.flush(); }
    bool finish(uint64_t last) override;

    uint64_t late() const override { return m_late; }
    bool shows(uint32_t signal) const { return m_states[signal].length > 0; }

    void engine(uint32_t die, const engine_note& note, uint64_t cycle) override;
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
    enum class action : uint8_t { set, add, link_begins, link_ends };
    struct change {
        uint32_t signal;
        action what;
        union {
            uint64_t value;
            uint32_t link[3]; // source, destination, operation
        };
    };
    struct shown_signal {
        uint64_t value = 0, shown = 0;
        char code[8] = {};  // identifier in the file, with the line's end
        uint8_t length = 0; // of it; 0: not shown
        uint8_t bits = 0;
        bool changed = false; // at the present time
    };

    void declare();
    void set(uint32_t signal, uint64_t value, uint64_t cycle);
    void add(uint32_t signal, int64_t value, uint64_t cycle);
    void file(uint64_t cycle, const change& item);
    void apply(const change& item);
    void put_value(uint32_t signal, uint64_t value);
    void end_step();
    void show_all();
    void write_time(uint64_t cycle);
    void write_value(const shown_signal& item, uint64_t value);

    const catalog& m_map;
    const selection m_wanted;
    uint64_t m_from, m_begin;
    output_file m_file;
    due_list<change> m_pending;
    std::vector<shown_signal> m_states; // [signal]
    std::vector<uint32_t> m_changed;    // at m_now
    uint64_t m_now = 0;                 // cycle of the present step
    uint64_t m_written = UINT64_MAX;    // cycle of the last time in the file
    uint64_t m_settled = 0;             // nothing may come before it
    uint64_t m_late = 0;
    bool m_shown = false; // the first values are in the file
};

} // namespace chimera::trace
