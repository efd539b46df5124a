// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/fabric/chunk.h"
#include "hw/fabric/ring_queue.h"

namespace chimera::fabric {

// The chunks that a router keeps, by input, and the order in which inputs can serve them: an input
// lets one chunk leave after the other, and none before its head is there. Ties by (die, message
// id).
class lt_queue {
public:
    explicit lt_queue(uint32_t inputs) : m_inputs(inputs) {}

    bool empty() const { return m_ready.empty(); }
    // When the next one can leave.
    uint64_t next() const { return m_ready.front().cycle; }

    // When a chunk that is called for now could leave its input; UINT64_MAX if others are before
    // it.
    uint64_t at_once(const chunk_head& head) const {
        const input& port = m_inputs[head.input];
        const uint64_t cycle = std::max(head.due, port.free);
        const bool first = port.waiting.empty() && (empty() || cycle < next());
        return first ? cycle : UINT64_MAX;
    }

    void keep(const chunk_head& head) {
        input& port = m_inputs[head.input];
        port.waiting.push(head);
        if (port.waiting.size() == 1) {
            push_ready(head.input);
        }
    }

    // The input that can serve next, its first chunk and the one behind it, null if there is none.
    uint32_t next_input() const { return m_ready.front().port; }
    const chunk_head& first(uint32_t port) const { return m_inputs[port].waiting.front(); }
    chunk_head& first(uint32_t port) { return m_inputs[port].waiting.front(); }
    const chunk_head* second(uint32_t port) const {
        const auto& waiting = m_inputs[port].waiting;
        return waiting.size() > 1 ? &waiting.at(1) : nullptr;
    }
    void swap_first_two(uint32_t port) {
        m_inputs[port].waiting.swap_first_two();
        m_ready.front().body = first(port).body;
        m_ready.front().source = first(port).source;
    }

    // The next input has served its first chunk and is busy with it until `cycle`.
    void served(uint64_t cycle) {
        const uint32_t port = m_ready.front().port;
        input& in = m_inputs[port];
        in.free = cycle;
        in.waiting.pop();
        if (in.waiting.empty()) {
            std::pop_heap(m_ready.begin(), m_ready.end(), later);
            m_ready.pop_back();
        } else {
            replace_next(entry_of(port));
        }
    }

    // Asks the memory for what is read first.
    void prefetch() const {
        __builtin_prefetch(m_ready.data());
        __builtin_prefetch(m_inputs.data());
        __builtin_prefetch(m_inputs.data() + 2); // a cache line further
    }

    // A chunk went through at once, and its input is busy with it until `cycle`.
    void passed_through(uint32_t port, uint64_t cycle) { m_inputs[port].free = cycle; }

private:
    struct input {
        ring_queue<chunk_head> waiting;
        uint64_t free = 0;
    };
    struct ready {
        uint64_t cycle;
        const chunk* body;
        uint32_t source, port;
    };

    static bool later(const ready& a, const ready& b) {
        if (a.cycle != b.cycle) {
            return a.cycle > b.cycle;
        }
        return a.source != b.source ? a.source > b.source : a.body->message > b.body->message;
    }

    ready entry_of(uint32_t port) const {
        const input& in = m_inputs[port];
        const chunk_head& head = in.waiting.front();
        return {std::max(head.due, in.free), head.body, head.source, port};
    }

    void push_ready(uint32_t port) {
        m_ready.push_back(entry_of(port));
        std::push_heap(m_ready.begin(), m_ready.end(), later);
    }

    // Puts another entry for the same input in place of the next one, which is cheaper than taking
    // one out and putting one in.
    void replace_next(const ready& entry) {
        size_t at = 0;
        for (size_t child = 1; child < m_ready.size(); child = 2 * at + 1) {
            if (child + 1 < m_ready.size() && later(m_ready[child], m_ready[child + 1])) {
                ++child;
            }
            if (!later(entry, m_ready[child])) {
                break;
            }
            m_ready[at] = m_ready[child];
            at = child;
        }
        m_ready[at] = entry;
    }

    std::vector<input> m_inputs;
    std::vector<ready> m_ready; // heap of the inputs that have chunks
};

} // namespace chimera::fabric
