// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "hw/trace/catalog.h"
#include "hw/trace/output_file.h"
#include "hw/trace/selection.h"
#include "hw/trace/sink.h"

namespace chimera::trace {

// The files that stand beside a value change dump: "run.vcd" gets "run.state.enum" and so on, which
// say in GTKWave's translate format what a number means, and "run.gtkw".
std::vector<std::string> layout_files(const std::string& vcd_path);

// Writes them. The enum files are there from the start. The layout is written at the end, when it
// is known what happened: it shows the story of one transition, from a die that sends (its program,
// its engine, its DMA, the links that it uses) to the die that gets its last message.
class vcd_layout : public sink {
public:
    vcd_layout(const catalog& map, const selection& wanted, uint64_t from);

    // Takes the path of the dump. False, with errno, if a file cannot be opened.
    bool open(const std::string& vcd_path);

    void advance(uint64_t) override {}
    bool flush() override { return true; }
    bool finish(uint64_t last) override;
    uint64_t late() const override { return 0; }

    void run(uint32_t die, uint32_t seq, run_step step, const std::string* name,
             uint64_t cycle) override;
    void channel_begins(uint32_t die, uint32_t channel, const message_note& message, uint64_t cycle,
                        uint64_t ready) override;
    void operation(uint32_t die, uint32_t seq, uint64_t from, uint64_t to) override;
    void compute(uint32_t die, uint32_t seq, uint64_t cycle) override;
    void buffered(uint32_t node, uint32_t in_port, uint32_t in_vc, uint32_t flits,
                  uint64_t cycle) override;
    void hop(const hop_note& note) override;

private:
    struct die_story {
        bool sends = false, fuses = false;
        uint32_t last_destination = 0;
        uint64_t first = UINT64_MAX; // cycle of its first message
    };

    bool write_enums();
    void write(uint64_t last);
    uint32_t hero() const;
    void title(const std::string& text);
    void show(uint32_t signal, const std::string& alias = "");
    void show_used(std::initializer_list<die_signal> signals, uint32_t die);
    void show_die(uint32_t die);
    void show_links(uint32_t source, uint32_t destination);

    const catalog& m_map;
    const selection m_wanted;
    uint64_t m_begin;
    std::string m_stem, m_vcd;
    output_file m_file; // the layout
    std::vector<die_story> m_dies;
    std::vector<bool> m_used; // [signal] of what is idle in many runs: not shown then
};

} // namespace chimera::trace
