// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/faults/retry_link.h"

#include <algorithm>

#include "hw/base/random.h"

namespace chimera::fabric {

namespace {
constexpr uint64_t drop_key = 0x64726f70, corrupt_key = 0x637263; // apart from all other hashes
} // namespace

link_fate fate_of(const fabric_params& params, uint32_t link, uint64_t number, uint32_t attempt) {
    const uint64_t place = chm_hash3(params.seed, link, number);
    if (chm_chance(chm_hash3(place, drop_key, attempt), params.drop_probability)) {
        return link_fate::dropped;
    }
    return chm_chance(chm_hash3(place, corrupt_key, attempt), params.corrupt_probability)
               ? link_fate::corrupted
               : link_fate::arrives;
}

void retry_link::file(packet* item, uint64_t ready) {
    m_unacknowledged.push({item, ready, 0, item->flits * m_cycles_per_flit, 0});
}

// When the answer to the oldest packet is overdue. Answers come a round trip after a packet's end.
uint64_t retry_link::overdue() const {
    if (m_cursor <= m_first) {
        return never; // it is still to be sent
    }
    return m_unacknowledged.front().sent + 2 * m_latency + m_params.crc_cycles +
           m_params.retry_timeout_cycles;
}

uint64_t retry_link::next() const {
    uint64_t cycle = m_back.empty() ? never : m_back.front().due;
    if (!m_unacknowledged.empty()) {
        cycle = std::min(cycle, overdue());
    }
    const uint64_t unsent = m_cursor - m_first;
    if (unsent < m_unacknowledged.size()) {
        cycle = std::min(cycle, std::max(m_free, m_unacknowledged.at(unsent).ready));
    }
    return cycle;
}

void retry_link::advance(retry_sink& sink) {
    const uint64_t now = next();
    while (!m_back.empty() && m_back.front().due <= now) {
        hear(m_back.front());
        m_back.pop();
    }
    if (!m_unacknowledged.empty() && overdue() <= now) {
        go_back(m_first);
    }
    const uint64_t unsent = m_cursor - m_first;
    if (unsent < m_unacknowledged.size() && m_free <= now &&
        m_unacknowledged.at(unsent).ready <= now) {
        send(now, sink);
    }
}

void retry_link::hear(const answer& item) {
    while (m_first < item.expected) {
        m_unacknowledged.pop();
        ++m_first;
    }
    // Of an earlier round: it is being sent again already.
    if (item.missing && item.round == m_round) {
        go_back(item.expected);
    }
}

void retry_link::go_back(uint64_t number) {
    m_cursor = number;
    ++m_round;
}

void retry_link::send(uint64_t now, retry_sink& sink) {
    if (now + m_unacknowledged.at(m_cursor - m_first).cycles + m_latency > m_fails_at) {
        give_all_back(now, sink);
        return;
    }
    const uint64_t number = m_cursor++;
    entry& sent = m_unacknowledged.at(number - m_first);
    const link_fate fate = fate_of(m_params, m_link, number, sent.attempts);
    m_free = sent.sent = now + sent.cycles;
    if (sent.attempts++ > 0) {
        ++m_statistics.replayed;
        m_statistics.replay_cycles += sent.cycles;
    }
    // At the receiver. The packet's tail, and the CRC:
    const uint64_t checked = sent.sent + m_latency + m_params.crc_cycles;
    const uint64_t answered = checked + m_latency;
    if (fate == link_fate::dropped) {
        ++m_statistics.dropped;
    } else if (fate == link_fate::corrupted) {
        ++m_statistics.corrupted;
        ask_again(m_heard, answered);
    } else {
        m_heard = m_round;
        if (number == m_expected) {
            m_back.push({answered, ++m_expected, m_round, false});
            sink.deliver(sent.item, checked);
        } else {
            ask_again(m_round, answered);
        }
    }
}

// All that has not arrived, whether it has been sent or not.
void retry_link::give_all_back(uint64_t now, retry_sink& sink) {
    while (m_first + m_unacknowledged.size() > m_expected) {
        const entry& last = m_unacknowledged.back();
        sink.give_back(last.item, now + m_latency + last.cycles);
        m_unacknowledged.erase(m_unacknowledged.size() - 1);
    }
    m_cursor = m_expected;
}

void retry_link::ask_again(uint64_t round, uint64_t due) {
    if (m_asked != round) {
        m_asked = round;
        m_back.push({due, m_expected, round, true});
    }
}

} // namespace chimera::fabric
