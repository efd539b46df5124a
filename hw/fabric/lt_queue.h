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

    // Takes the input that can serve next. Its first chunk and the one behind it, if any, are to be
    // looked at; then take() and release() it.
    uint32_t take_input() {
        std::pop_heap(m_ready.begin(), m_ready.end(), later);
        const uint32_t port = m_ready.back().port;
        m_ready.pop_back();
        return port;
    }
    chunk_head& first(uint32_t port) { return m_inputs[port].waiting.front(); }
    const chunk_head* second(uint32_t port) const {
        const auto& waiting = m_inputs[port].waiting;
        return waiting.size() > 1 ? &waiting.at(1) : nullptr;
    }
    void swap_first_two(uint32_t port) { m_inputs[port].waiting.swap_first_two(); }
    chunk_head take(uint32_t port) {
        const chunk_head head = m_inputs[port].waiting.front();
        m_inputs[port].waiting.pop();
        return head;
    }
    void release(uint32_t port) {
        if (!m_inputs[port].waiting.empty()) {
            push_ready(port);
        }
    }

    // The input is busy with a chunk until `cycle`.
    void serves_until(uint32_t port, uint64_t cycle) { m_inputs[port].free = cycle; }

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

    void push_ready(uint32_t port) {
        const input& in = m_inputs[port];
        const chunk_head& head = in.waiting.front();
        m_ready.push_back({std::max(head.due, in.free), head.body, head.source, port});
        std::push_heap(m_ready.begin(), m_ready.end(), later);
    }

    std::vector<input> m_inputs;
    std::vector<ready> m_ready; // heap of the inputs that have chunks
};

} // namespace chimera::fabric
