// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hw/trace/catalog.h"
#include "hw/trace/due_list.h"
#include "hw/trace/output_file.h"
#include "hw/trace/selection.h"
#include "hw/trace/sink.h"

namespace chimera::trace {

// One line (CSV, with a header) for each time a packet leaves a router or switch of the selection,
// in the order in which they do. `to` is the next router, or the die where the packet arrives; so
// the packets of lines that lead to routers add up to the run's packet_hops.
class packet_log : public sink {
public:
    packet_log(const catalog& map, const selection& wanted) : m_map(map), m_wanted(wanted) {}

    // False, with errno, if the file cannot be opened.
    bool open(const std::string& path);

    void advance(uint64_t until) override;
    bool flush() override { return m_file.flush(); }
    bool finish(uint64_t last) override;
    uint64_t late() const override { return m_late; }

    void hop(const hop_note& note) override;

private:
    void write(const hop_note& note);

    const catalog& m_map;
    const selection m_wanted;
    output_file m_file;
    due_list<hop_note> m_pending;
    uint64_t m_settled = 0, m_late = 0;
};

} // namespace chimera::trace
