// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

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

    void put(const char* text, size_t length);
    void put(const std::string& text) { put(text.data(), text.size()); }
    void put(char c) { put(&c, 1); }
    void number(uint64_t value);

    // Hands everything to the system. False if anything since open() could not be written.
    bool flush();
    bool close();

private:
    FILE* m_file = nullptr;
    std::string m_buffer;
    bool m_failed = false;
};

} // namespace chimera::trace
