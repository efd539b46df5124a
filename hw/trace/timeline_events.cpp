// SPDX-License-Identifier: Apache-2.0
// The events of a timeline as JSON, one a line.
#include <algorithm>

#include "hw/base/clock.h"
#include "hw/trace/timeline.h"

namespace chimera::trace {

namespace {

// Names come from files: what JSON does not take as it is.
std::string quoted(const std::string& text) {
    static const char digits[] = "0123456789abcdef";
    std::string made = "\"";
    for (char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20) {
            made += std::string("\\u00") + digits[code / 16] + digits[code % 16];
        } else {
            made += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        }
    }
    return made + "\"";
}

} // namespace

bool timeline::open(const std::string& path) {
    if (!m_file.open(path)) {
        return false;
    }
    m_file.put("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return true;
}

void timeline::begin_event(char phase, track where, const std::string& name, uint64_t cycle) {
    m_file.put(m_first ? "\n" : ",\n");
    m_first = false;
    m_file.put(std::string("{\"ph\":\"") + phase + "\",\"pid\":" + std::to_string(where.process) +
               ",\"tid\":" + std::to_string(where.thread) + ",\"name\":" + quoted(name));
    put_time("ts", cycle);
}

void timeline::put_time(const char* key, uint64_t cycle) {
    const uint64_t ps = chm_clock_cycles_to_ps(cycle, m_map.shape().clock_khz);
    const std::string fraction = std::to_string(1000000 + ps % 1000000).substr(1);
    m_file.put(std::string(",\"") + key + "\":" + std::to_string(ps / 1000000) + "." + fraction);
}

void timeline::name_track(track where, const std::string& process, const std::string& thread) {
    const auto say = [&](const char* what, const std::string& argument) {
        begin_event('M', where, what, 0);
        m_file.put(",\"args\":{" + argument + "}}");
    };
    if (m_named.insert(uint64_t{where.process} << 32).second) {
        say("process_name", "\"name\":" + quoted(process));
        say("process_sort_index", "\"sort_index\":" + std::to_string(where.process));
    }
    if (m_named.insert(uint64_t{where.process} << 32 | where.thread).second) {
        say("thread_name", "\"name\":" + quoted(thread));
        say("thread_sort_index", "\"sort_index\":" + std::to_string(where.thread));
    }
}

bool timeline::span(track where, const std::string& name, uint64_t from, uint64_t to,
                    const std::string& arguments) {
    const uint64_t begin = std::max(from, m_wanted.begin);
    const uint64_t end = std::min(std::max(from, to), m_wanted.end);
    if (begin > end) {
        return false;
    }
    begin_event('X', where, name, begin);
    // The difference of two exact times, so that neighbours meet at clocks of odd periods, too.
    const uint64_t khz = m_map.shape().clock_khz;
    const uint64_t ps = chm_clock_cycles_to_ps(end, khz) - chm_clock_cycles_to_ps(begin, khz);
    m_file.put(",\"dur\":" + std::to_string(ps / 1000000) + "." +
               std::to_string(1000000 + ps % 1000000).substr(1));
    m_file.put(arguments.empty() ? "}" : ",\"args\":{" + arguments + "}}");
    return true;
}

// An arrow's start or end; it belongs to the span of its track that is there then.
void timeline::flow(char phase, track where, uint64_t cycle, uint64_t id) {
    begin_event(phase, where, "message", cycle);
    m_file.put(",\"cat\":\"message\",\"id\":" + std::to_string(id) +
               (phase == 'f' ? ",\"bp\":\"e\"}" : "}"));
}

} // namespace chimera::trace
