// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/output_file.h"

#include <algorithm>

namespace chimera::trace {

bool output_file::open(const std::string& path) {
    close();
    m_failed = false;
    m_file = std::fopen(path.c_str(), "w");
    return m_file != nullptr;
}

void output_file::put_long(const char* text, size_t length) {
    while (length > 0) {
        const size_t piece = std::min(length, most);
        put(text, piece);
        text += piece;
        length -= piece;
    }
}

void output_file::number(uint64_t value) {
    char digits[20];
    char* at = digits + sizeof digits;
    do {
        *--at = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put(at, static_cast<size_t>(digits + sizeof digits - at));
}

void output_file::binary(uint64_t value) {
    const int digits = 64 - __builtin_clzll(value | 1);
    char* at = room() + digits;
    m_used += static_cast<size_t>(digits);
    for (int i = 0; i < digits; ++i, value /= 2) {
        *--at = static_cast<char>('0' + value % 2);
    }
}

void output_file::hand_over() {
    if (m_file != nullptr && m_used > 0) {
        m_failed = std::fwrite(m_buffer.data(), 1, m_used, m_file) != m_used || m_failed;
    }
    m_used = 0;
}

bool output_file::flush() {
    hand_over();
    m_failed = (m_file != nullptr && std::fflush(m_file) != 0) || m_failed;
    return !m_failed;
}

bool output_file::close() {
    flush();
    if (m_file != nullptr) {
        m_failed = std::fclose(m_file) != 0 || m_failed;
        m_file = nullptr;
    }
    return !m_failed;
}

} // namespace chimera::trace
