// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "hw/fabric/packet.h"

namespace chimera::fabric {

// A FIFO of packets, chained through the packets themselves: a queue costs a router two pointers,
// and a packet that is filed by one router, and looked at by the next, only its own cache line. A
// packet is in one list at a time. The list owns nothing.
class packet_list {
public:
    bool empty() const { return m_first == nullptr; }
    packet* first() const { return m_first; } // null: empty

    void push(packet* item) {
        item->next = nullptr;
        (m_first == nullptr ? m_first : m_last->next) = item;
        m_last = item;
    }
    // The first one, which must be there.
    packet* pop() {
        packet* item = m_first;
        m_first = item->next;
        return item;
    }
    void erase(packet* item) {
        if (item == m_first) {
            m_first = item->next;
            return;
        }
        packet* before = m_first;
        while (before->next != item) {
            before = before->next;
        }
        before->next = item->next;
        m_last = m_last == item ? before : m_last;
    }
    size_t size() const {
        size_t count = 0;
        for (const packet* item = m_first; item != nullptr; item = item->next) {
            ++count;
        }
        return count;
    }

private:
    packet* m_first = nullptr;
    packet* m_last = nullptr; // meaningless while it is empty
};

} // namespace chimera::fabric
