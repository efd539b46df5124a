// SPDX-License-Identifier: Apache-2.0
#include "tests/support/json_value.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace chimera::test {

namespace {

class reader {
public:
    explicit reader(const std::string& text) : m_text(text) {}

    json_value whole() {
        json_value value = any();
        blanks();
        require(m_at == m_text.size());
        return value;
    }

private:
    static void require(bool good) {
        if (!good) {
            throw std::invalid_argument("no JSON");
        }
    }
    void blanks() {
        while (m_at < m_text.size() && std::string(" \t\r\n").find(m_text[m_at]) < 4) {
            ++m_at;
        }
    }
    char peek() {
        blanks();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    void expect(char c) {
        require(peek() == c);
        ++m_at;
    }
    bool takes(char c) {
        const bool there = peek() == c;
        m_at += there ? 1 : 0;
        return there;
    }

    json_value any() {
        switch (peek()) {
        case '{': return object();
        case '[': return array();
        case '"': {
            json_value value;
            value.type = json_value::kind::string;
            value.text = string();
            return value;
        }
        default: return word();
        }
    }

    json_value object() {
        json_value value;
        value.type = json_value::kind::object;
        expect('{');
        if (takes('}')) {
            return value;
        }
        do {
            require(peek() == '"');
            const std::string key = string();
            expect(':');
            require(value.members.insert({key, any()}).second);
        } while (takes(','));
        expect('}');
        return value;
    }

    json_value array() {
        json_value value;
        value.type = json_value::kind::array;
        expect('[');
        if (takes(']')) {
            return value;
        }
        do {
            value.items.push_back(any());
        } while (takes(','));
        expect(']');
        return value;
    }

    std::string string() {
        std::string text;
        expect('"');
        while (require(m_at < m_text.size()), m_text[m_at] != '"') {
            require(static_cast<unsigned char>(m_text[m_at]) >= 0x20);
            if (m_text[m_at] == '\\') {
                require(++m_at < m_text.size() &&
                        std::string("\"\\/bfnrtu").find(m_text[m_at]) != std::string::npos);
            }
            text += m_text[m_at++];
        }
        ++m_at;
        return text;
    }

    json_value word() {
        json_value value;
        while (m_at < m_text.size() &&
               std::string("+-.0123456789eEaflnrstu").find(m_text[m_at]) != std::string::npos) {
            value.text += m_text[m_at++];
        }
        const std::string& text = value.text;
        if (text == "true" || text == "false" || text == "null") {
            value.type = json_value::kind::literal;
            return value;
        }
        size_t used = 0;
        require(!text.empty() && text[0] != '+' && text[0] != '.');
        require(!(text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9'));
        std::stod(text, &used); // throws std::invalid_argument
        require(used == text.size());
        value.type = json_value::kind::number;
        return value;
    }

    const std::string& m_text;
    size_t m_at = 0;
};

} // namespace

json_value json_value::parse(const std::string& text) {
    try {
        return reader(text).whole();
    } catch (const std::invalid_argument&) {
        return {};
    }
}

json_value json_value::read(const std::string& path) {
    std::stringstream all;
    all << std::ifstream(path).rdbuf();
    return parse(all.str());
}

const json_value& json_value::operator[](const std::string& key) const {
    static const json_value nothing;
    const auto at = members.find(key);
    return at == members.end() ? nothing : at->second;
}

uint64_t json_value::millionths() const {
    const size_t point = text.find('.');
    std::string fraction = point == std::string::npos ? "" : text.substr(point + 1);
    fraction.resize(6, '0');
    return std::stoull(text.substr(0, point)) * 1000000 + std::stoull(fraction);
}

} // namespace chimera::test
