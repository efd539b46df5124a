// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/vcd_layout.h"

#include <algorithm>
#include <cmath>

#include "hw/base/clock.h"
#include "hw/base/text.h"

namespace chimera::trace {

namespace {

// By meaning; the ones without are numbers.
const char* enum_name(meaning read_as) {
    switch (read_as) {
    case meaning::engine_state: return "engine";
    case meaning::host_state: return "host";
    case meaning::channel_state: return "channel";
    case meaning::operation: return "operation";
    case meaning::die: return "die";
    case meaning::flag:
    case meaning::number:
    case meaning::identifier: break;
    }
    return nullptr;
}

constexpr meaning named[] = {meaning::engine_state, meaning::host_state, meaning::channel_state,
                             meaning::operation, meaning::die};

// In the order of the enumerations in observer.h.
constexpr const char* engine_states[] = {"idle",
                                         "collecting",
                                         "planning",
                                         "waits for staging",
                                         "waits for input",
                                         "waits for buffers",
                                         "running",
                                         "sending"};
constexpr const char* host_states[] = {"ready", "queues", "ring full", "waits", "ended"};
constexpr const char* channel_states[] = {"idle", "set-up", "sending"};

std::string stem_of(const std::string& path) {
    const std::string extension = ".vcd";
    const bool has = path.size() > extension.size() &&
                     path.compare(path.size() - extension.size(), extension.size(), extension) == 0;
    return has ? path.substr(0, path.size() - extension.size()) : path;
}

std::string enum_path(const std::string& stem, meaning read_as) {
    return stem + "." + enum_name(read_as) + ".enum";
}

// The value as GTKWave shows it in decimal, and the name.
template<size_t N> void put_states(output_file& file, const char* const (&states)[N]) {
    for (size_t i = 0; i < N; ++i) {
        file.put(std::to_string(i) + " " + states[i] + "\n");
    }
}

} // namespace

std::vector<std::string> layout_files(const std::string& vcd_path) {
    const std::string stem = stem_of(vcd_path);
    std::vector<std::string> paths = {stem + ".gtkw"};
    for (meaning read_as : named) {
        paths.push_back(enum_path(stem, read_as));
    }
    return paths;
}

vcd_layout::vcd_layout(const catalog& map, const selection& wanted, uint64_t from)
    : m_map(map), m_wanted(wanted), m_begin(std::max(from, wanted.begin)),
      m_dies(map.shape().topology->dies), m_used(map.signals().size()) {}

bool vcd_layout::open(const std::string& vcd_path) {
    m_vcd = vcd_path;
    m_stem = stem_of(vcd_path);
    return write_enums() && m_file.open(m_stem + ".gtkw");
}

bool vcd_layout::write_enums() {
    for (meaning read_as : named) {
        output_file file;
        if (!file.open(enum_path(m_stem, read_as))) {
            return false;
        }
        switch (read_as) {
        case meaning::engine_state: put_states(file, engine_states); break;
        case meaning::host_state: put_states(file, host_states); break;
        case meaning::channel_state: put_states(file, channel_states); break;
        case meaning::operation:
            for (uint32_t seq = 0;
                 m_map.shape().workload != nullptr && seq < m_map.shape().workload->operation_count;
                 ++seq) {
                file.put(std::to_string(seq) + " " + m_map.shape().operation_name(seq) + "\n");
            }
            break;
        case meaning::die:
            for (uint32_t die = 0; die < m_dies.size(); ++die) {
                file.put(std::to_string(die) + " " + m_map.die_scope(die) + "\n");
            }
            break;
        case meaning::flag:
        case meaning::number:
        case meaning::identifier: break;
        }
        if (!file.close()) {
            return false;
        }
    }
    return true;
}

void vcd_layout::run(uint32_t die, uint32_t, run_step step, const std::string* name, uint64_t) {
    const bool fused = step == run_step::decided && name->find(" + ") != std::string::npos;
    m_dies[die].fuses = m_dies[die].fuses || fused;
}

void vcd_layout::channel_begins(uint32_t die, uint32_t channel, const message_note& message,
                                uint64_t cycle, uint64_t) {
    die_story& story = m_dies[die];
    story.sends = true;
    story.last_destination = message.destination;
    story.first = std::min(story.first, cycle);
    m_used[m_map.of_channel(die, channel, channel_state_signal)] = true;
}

void vcd_layout::operation(uint32_t die, uint32_t, uint64_t, uint64_t) {
    m_used[m_map.of_die(die, gating_signal)] = true;
}

void vcd_layout::compute(uint32_t die, uint32_t seq, uint64_t) {
    if (seq != none) {
        m_used[m_map.of_die(die, compute_signal)] = true;
    }
}

void vcd_layout::buffered(uint32_t node, uint32_t in_port, uint32_t in_vc, uint32_t, uint64_t) {
    m_used[m_map.of_buffer(node, in_port, in_vc)] = true;
}

void vcd_layout::hop(const hop_note& note) {
    m_used[m_map.of_link(note.node, note.out_port, busy_signal)] = true;
}

// The first die that sends and whose engine fuses, else that sends, else that is selected.
uint32_t vcd_layout::hero() const {
    uint32_t best = 0;
    const auto worth = [this](uint32_t die) {
        const die_story& story = m_dies[die];
        return (story.sends ? 4 : 0) + (story.fuses ? 2 : 0) +
               (m_wanted.touches(m_map.die_scope(die)) ? 1 : 0);
    };
    for (uint32_t die = 1; die < m_dies.size(); ++die) {
        best = worth(die) > worth(best) ? die : best;
    }
    return best;
}

void vcd_layout::title(const std::string& text) {
    m_file.put("@200\n-" + text + "\n");
}

void vcd_layout::show(uint32_t index, const std::string& alias) {
    const signal& item = m_map.signals()[index];
    if (!m_wanted.selects(m_map.scopes()[item.scope])) {
        return;
    }
    // Flags of a trace in a .gtkw file: 8 binary, 4 decimal, 20 right-justified, 2000 translated by
    // a file.
    const char* names = enum_name(item.read_as);
    if (names != nullptr) {
        m_file.put("@2024\n^1 " + enum_path(m_stem, item.read_as) + "\n");
    } else {
        m_file.put(item.bits == 1 ? "@28\n" : "@24\n");
    }
    m_file.put("+{" + (alias.empty() ? item.name : alias) + "} " + m_map.path(item) +
               (item.bits > 1 ? "[" + std::to_string(item.bits - 1) + ":0]" : "") + "\n");
}

// The first of the signals says whether the others have anything to show.
void vcd_layout::show_used(std::initializer_list<die_signal> signals, uint32_t die) {
    for (die_signal which : signals) {
        if (m_used[m_map.of_die(die, *signals.begin())]) {
            show(m_map.of_die(die, which));
        }
    }
}

void vcd_layout::show_die(uint32_t die) {
    title(m_map.die_scope(die));
    if (m_map.shape().workload != nullptr) {
        for (die_signal which : {host_state_signal, host_operation_signal}) {
            show(m_map.of_die(die, which));
        }
        show_used({compute_signal, compute_operation_signal}, die);
        show(m_map.of_die(die, engine_state_signal), "engine");
        for (die_signal which : {oldest_run_signal, window_signal, in_flight_signal, fused_signal,
                                 eliminated_signal}) {
            show(m_map.of_die(die, which));
        }
        show_used({gating_signal, gating_operation_signal}, die);
    }
    for (uint32_t channel = 0; channel < m_map.shape().dma_channels; ++channel) {
        if (m_used[m_map.of_channel(die, channel, channel_state_signal)]) {
            const std::string name = "dma channel " + std::to_string(channel);
            show(m_map.of_channel(die, channel, channel_state_signal), name);
            show(m_map.of_channel(die, channel, channel_operation_signal), name + " operation");
            show(m_map.of_channel(die, channel, channel_destination_signal), name + " to");
        }
    }
    show(m_map.of_dma(die, arrived_packets_signal));
}

// The links that leave the source's router, and the one into the receiving die with the buffers
// before it.
void vcd_layout::show_links(uint32_t source, uint32_t destination) {
    const chm_topology& topology = *m_map.shape().topology;
    const uint32_t node = topology.die_node[source];
    title("links of " + m_map.node_scope(node));
    for (uint32_t port = 0; port < chm_node_outputs(&topology, node); ++port) {
        if (m_used[m_map.of_link(node, port, busy_signal)]) {
            const std::string name = "to " + m_map.behind_output(node, port);
            show(m_map.of_link(node, port, busy_signal), name);
            show(m_map.of_link(node, port, link_destination_signal), name + " for");
        }
    }
    const uint32_t last = topology.die_node[destination];
    title("into " + m_map.die_scope(destination));
    const uint32_t ejection = chm_die_ejection_port(&topology, destination);
    for (uint32_t port = 0; port < chm_die_ports(&topology, destination); ++port) {
        show(m_map.of_link(last, ejection + port, busy_signal),
             "to " + m_map.die_scope(destination));
        show(m_map.of_link(last, ejection + port, link_source_signal), "from");
    }
    for (uint32_t port = 0; port < chm_node_inputs(&topology, last); ++port) {
        for (uint32_t vc = 0; vc < topology.vcs; ++vc) {
            const uint32_t index = m_map.of_buffer(last, port, vc);
            if (m_used[index]) {
                const std::string& scope = m_map.scopes()[m_map.signals()[index].scope];
                show(index, scope.substr(scope.find('.') + 1) + " " + m_map.signals()[index].name);
            }
        }
    }
}

void vcd_layout::write(uint64_t last) {
    const uint64_t khz = m_map.shape().clock_khz;
    const uint64_t begin = chm_clock_cycles_to_ps(m_begin, khz);
    const uint64_t end =
        chm_clock_cycles_to_ps(std::max(m_begin, std::min(last, m_wanted.end)), khz);
    // 200 pixels show 2^zoom ps; so a window of 1500 pixels shows all.
    chm_text zoom;
    chm_text_init(&zoom);
    chm_text_double(&zoom, std::log2(std::max(1.0, static_cast<double>(end - begin) / 5)), 6);
    m_file.put("[*] chimera\n[dumpfile] \"" + m_vcd + "\"\n[timestart] " + std::to_string(begin) +
               "\n[size] 1500 1000\n[pos] -1 -1\n*-" + chm_text_get(&zoom) + " -1");
    chm_text_free(&zoom);
    for (int marker = 0; marker < 26; ++marker) {
        m_file.put(" -1");
    }
    m_file.put("\n[sst_width] 10\n[signals_width] 300\n[sst_expanded] 0\n");
    const uint32_t source = hero();
    const uint32_t destination = m_dies[source].sends ? m_dies[source].last_destination : source;
    show_die(source);
    show_links(source, destination);
    if (destination != source) {
        show_die(destination);
    }
    m_file.put("[pattern_trace] 1\n[pattern_trace] 0\n");
}

bool vcd_layout::finish(uint64_t last) {
    write(last);
    return m_file.close();
}

} // namespace chimera::trace
