// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/fabric/chunk.h"
#include "hw/fabric/lt/lt_contest.h"
#include "hw/fabric/ring_queue.h"

namespace chimera::fabric {

// The chunks that a router keeps, by input, and the order in which inputs can serve them: an input
// lets one chunk leave after the other, and none before its head is there. Ties by (die, message
// id).
class lt_queue {
public:
    explicit lt_queue(uint32_t inputs) : m_inputs(inputs), m_order(inputs) {}

    bool empty() const { return next() == kernel::never; }
    // When the next one can leave; kernel::never if none is kept.
    uint64_t next() const { return m_order.cycle(); }

    // When a chunk that is called for now could leave its input; never if others are before it.
    uint64_t at_once(const chunk_head& head) const {
        const input& port = m_inputs[head.input];
        const uint64_t cycle = std::max(head.due, port.free);
        return port.waiting.empty() && cycle < next() ? cycle : kernel::never;
    }

    void keep(const chunk_head& head) {
        input& port = m_inputs[head.input];
        port.waiting.push(head);
        if (port.waiting.size() == 1) {
            enter(head.input);
        }
        port.waiting.prefetch(port.waiting.size()); // for the next one, which often comes soon
    }

    // The input that can serve next, its first chunk and the one behind it, null if there is none.
    uint32_t next_input() const { return m_order.winner(); }
    const chunk_head& first(uint32_t port) const { return m_inputs[port].waiting.front(); }
    chunk_head& first(uint32_t port) { return m_inputs[port].waiting.front(); }
    const chunk_head* second(uint32_t port) const {
        const auto& waiting = m_inputs[port].waiting;
        return waiting.size() > 1 ? &waiting.at(1) : nullptr;
    }
    // Its input stays the next.
    void swap_first_two(uint32_t port) { m_inputs[port].waiting.swap_first_two(); }

    // The next input has served its first chunk and is busy with it until `cycle`.
    void served(uint64_t cycle) {
        const uint32_t port = next_input();
        input& in = m_inputs[port];
        in.free = cycle;
        in.waiting.pop();
        in.waiting.prefetch(2);
        enter(port);
    }

    // Ask the memory for what is read first, and then for the chunks that can leave first.
    void prefetch() const {
        m_order.prefetch();
        for (size_t i = 0; i < m_inputs.size(); i += 64 / sizeof(input) + 1) {
            __builtin_prefetch(&m_inputs[i]);
        }
    }
    void prefetch_first() const {
        for (const input& each : m_inputs) {
            if (!each.waiting.empty()) {
                each.waiting.prefetch(0);
                each.waiting.prefetch(1);
            }
        }
    }

    // A chunk went through at once, and its input is busy with it until `cycle`.
    void passed_through(uint32_t port, uint64_t cycle) { m_inputs[port].free = cycle; }

private:
    struct input {
        ring_queue<chunk_head> waiting;
        uint64_t free = 0;
    };

    bool wins_tie(uint32_t a, uint32_t b) const {
        const chunk_head& one = first(a);
        const chunk_head& other = first(b);
        return one.source != other.source ? one.source < other.source
                                          : one.body->message < other.body->message;
    }

    void enter(uint32_t port) {
        const input& in = m_inputs[port];
        m_order.set(port,
                    in.waiting.empty() ? kernel::never : std::max(in.waiting.front().due, in.free),
                    [this](uint32_t a, uint32_t b) { return wins_tie(a, b); });
    }

    std::vector<input> m_inputs;
    lt_contest m_order;
};

} // namespace chimera::fabric
