// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace chimera::test {

// A value change dump as read from a file, by the words of IEEE 1364 and not by how it was written.
struct vcd_file {
    explicit vcd_file(const std::string& path);

    using history = std::vector<std::pair<uint64_t, std::string>>; // time, value

    std::string timescale;             // "1 ps"
    std::map<std::string, history> of; // by dotted name
    std::vector<uint64_t> times;       // as they stand in the file
    std::vector<std::string> faults;   // what a reader could not take

    // The value at a time, "" before the first.
    std::string at(const std::string& name, uint64_t time) const;
    // Changes after the first value.
    size_t changes(const std::string& name) const { return of.at(name).size() - 1; }
};

} // namespace chimera::test
