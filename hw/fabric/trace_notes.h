// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/fabric/chunk.h"
#include "hw/fabric/packet.h"
#include "hw/trace/observer.h"

namespace chimera::fabric {

// What an observer is told of a packet, and of packets that are carried as one.
inline trace::packet_note note_of(const packet& item) {
    return {item.source,
            item.destination,
            item.tag.seq,
            item.tag.chunk,
            item.message,
            item.index,
            item.train,
            item.train * item.flits,
            item.train * (uint64_t{item.payload_bytes} + item.metadata_bytes),
            item.last};
}

inline trace::packet_note note_of(const chunk& item) {
    const packet_tag tag =
        item.items != nullptr ? item.items->tag : packet_tag{0, 0, uint64_t{item.tag}};
    return {item.source,  item.destination, tag.seq,
            tag.chunk,    item.message,     item.index,
            item.packets, item.flits,       item.payload_bytes + item.metadata_bytes,
            item.last};
}

} // namespace chimera::fabric
