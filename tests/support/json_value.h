// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace chimera::test {

// A JSON text (RFC 8259) as read; numbers keep their digits, so that nothing is rounded.
struct json_value {
    enum class kind { none, object, array, string, number, literal };

    kind type = kind::none;
    std::string text; // of a string, number or literal
    std::vector<json_value> items;
    std::map<std::string, json_value> members;

    // A value of type none if the whole text is no JSON.
    static json_value parse(const std::string& text);
    static json_value read(const std::string& path);

    const json_value& operator[](const std::string& key) const;
    // Of a number with at most six digits after the point: times a million, exactly.
    uint64_t millionths() const;
};

} // namespace chimera::test
