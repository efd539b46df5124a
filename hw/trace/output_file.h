// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace chimera::trace {

// A text file that is written piece by piece. What goes wrong is sticky, and told at the end.
class output_file {
public:
    output_file() = default;
    ~output_file() { close(); }
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    // False, with errno, if it cannot be opened.
    bool open(const std::string& path);

    void put(const char* text, size_t length) {
        if (length <= most) {
            std::memcpy(room(), text, length);
            m_used += length;
        } else {
            put_long(text, length);
        }
    }
    void put(const std::string& text) { put(text.data(), text.size()); }
    void put(char c) { *room() = c, ++m_used; }
    void number(uint64_t value);
    // In base two, as short as may be.
    void binary(uint64_t value);

    // Hands everything to the system. False if anything since open() could not be written.
    bool flush();
    bool close();

private:
    static constexpr size_t buffer_bytes = 1 << 16;
    static constexpr size_t most = 256; // bytes of one piece, of which there is always room

    // Where the next piece goes.
    char* room() {
        if (m_used + most > buffer_bytes) {
            hand_over();
        }
        return m_buffer.data() + m_used;
    }
    void put_long(const char* text, size_t length);
    void hand_over();

    FILE* m_file = nullptr;
    std::vector<char> m_buffer = std::vector<char>(buffer_bytes);
    size_t m_used = 0;
    bool m_failed = false;
};

} // namespace chimera::trace
