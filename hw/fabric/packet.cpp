// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/packet.h"

namespace chimera::fabric {

namespace {
constexpr size_t block_packets = 256;
}

void packet_pool::grow() {
    auto block = std::make_unique<packet[]>(block_packets);
    std::unique_ptr<uint8_t[]> buffers;
    if (m_buffer_bytes > 0) {
        buffers = std::make_unique<uint8_t[]>(block_packets * m_buffer_bytes);
    }
    m_blocks.reserve(m_blocks.size() + 1);
    m_buffers.reserve(m_buffers.size() + 1);
    for (size_t i = block_packets; i-- > 0;) {
        block[i].data = buffers ? buffers.get() + i * m_buffer_bytes : nullptr;
        block[i].next = m_free;
        m_free = &block[i];
    }
    m_blocks.push_back(std::move(block));
    m_buffers.push_back(std::move(buffers));
}

packet* packet_pool::take() {
    if (m_free == nullptr) {
        grow();
    }
    packet* item = m_free;
    m_free = item->next;
    uint8_t* data = item->data;
    *item = packet{};
    item->data = data;
    ++m_outstanding;
    return item;
}

void packet_pool::give(packet* item) {
    item->next = m_free;
    m_free = item;
    --m_outstanding;
}

} // namespace chimera::fabric
