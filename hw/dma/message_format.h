// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace chimera::dma {

// What precedes the rows of a routed transfer.
struct routed_header {
    uint32_t communicator = 0, seq = 0, rows = 0;
};

constexpr size_t routed_header_bytes = 12;

inline routed_header read_header(const std::vector<uint8_t>& bytes) {
    routed_header header;
    if (bytes.size() >= routed_header_bytes) {
        std::memcpy(&header.communicator, bytes.data(), 4);
        std::memcpy(&header.seq, bytes.data() + 4, 4);
        std::memcpy(&header.rows, bytes.data() + 8, 4);
    }
    return header;
}

inline void append(std::vector<uint8_t>& bytes, const void* from, size_t count) {
    const uint8_t* first = static_cast<const uint8_t*>(from);
    bytes.insert(bytes.end(), first, first + count);
}

inline void write_header(std::vector<uint8_t>& bytes, const routed_header& header) {
    append(bytes, &header.communicator, 4);
    append(bytes, &header.seq, 4);
    append(bytes, &header.rows, 4);
}

// How a packet's buffer carries its part of the message: {offset u32, bytes u32} and the bytes.
// Part i of n is bytes [i * total / n, (i + 1) * total / n), so that it fits whatever is charged
// for headers and row ids.
constexpr size_t part_header_bytes = 8;

// The buffer a packet needs: ids and header may be charged nothing and still have to travel.
inline size_t part_buffer_bytes(size_t mtu_bytes) {
    return part_header_bytes + 2 * mtu_bytes + 64;
}

inline void put_part(uint8_t* buffer, const std::vector<uint8_t>& bytes, uint64_t part,
                     uint64_t parts) {
    const uint32_t begin = static_cast<uint32_t>(part * bytes.size() / parts);
    const uint32_t count = static_cast<uint32_t>((part + 1) * bytes.size() / parts) - begin;
    std::memcpy(buffer, &begin, 4);
    std::memcpy(buffer + 4, &count, 4);
    if (count != 0) {
        std::memcpy(buffer + part_header_bytes, bytes.data() + begin, count);
    }
}

inline void take_part(const uint8_t* buffer, std::vector<uint8_t>& bytes) {
    uint32_t begin = 0, count = 0;
    std::memcpy(&begin, buffer, 4);
    std::memcpy(&count, buffer + 4, 4);
    if (bytes.size() < begin + count) {
        bytes.resize(begin + count);
    }
    if (count != 0) {
        std::memcpy(bytes.data() + begin, buffer + part_header_bytes, count);
    }
}

} // namespace chimera::dma
