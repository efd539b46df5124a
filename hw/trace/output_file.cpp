// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/output_file.h"

namespace chimera::trace {

namespace {
constexpr size_t buffer_bytes = 1 << 16;
}

bool output_file::open(const std::string& path) {
    close();
    m_failed = false;
    m_file = std::fopen(path.c_str(), "w");
    return m_file != nullptr;
}

void output_file::put(const char* text, size_t length) {
    m_buffer.append(text, length);
    if (m_buffer.size() >= buffer_bytes) {
        flush();
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

bool output_file::flush() {
    if (m_file != nullptr && !m_buffer.empty()) {
        m_failed =
            std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file) != m_buffer.size() || m_failed;
    }
    m_buffer.clear();
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
