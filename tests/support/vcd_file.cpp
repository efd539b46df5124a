// SPDX-License-Identifier: Apache-2.0
#include "tests/support/vcd_file.h"

#include <fstream>

namespace chimera::test {

namespace {

std::string until_end(std::istream& in) {
    std::string text, word;
    while (in >> word && word != "$end") {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

} // namespace

vcd_file::vcd_file(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> scopes;
    std::map<std::string, std::string> names; // by identifier
    std::string word, type, width, id, name;
    uint64_t now = 0;
    const auto change = [&](const std::string& code, const std::string& value) {
        if (times.empty() || names.count(code) == 0) {
            faults.push_back("a value of " + code + " without time or declaration");
            return;
        }
        of[names[code]].push_back({now, value});
    };
    while (in >> word) {
        if (word == "$scope") {
            in >> type >> name;
            scopes.push_back(name);
            until_end(in);
        } else if (word == "$upscope") {
            scopes.pop_back();
            until_end(in);
        } else if (word == "$var") {
            in >> type >> width >> id >> name;
            until_end(in);
            std::string full;
            for (const std::string& scope : scopes) {
                full += scope + ".";
            }
            if (!names.insert({id, full + name}).second || !of.insert({full + name, {}}).second) {
                faults.push_back("twice: " + full + name);
            }
        } else if (word == "$timescale") {
            timescale = until_end(in);
        } else if (word == "$dumpvars" || word == "$end") {
            continue;
        } else if (word[0] == '$') {
            until_end(in);
        } else if (word[0] == '#') {
            now = std::stoull(word.substr(1));
            times.push_back(now);
        } else if (word[0] == 'b') {
            in >> id;
            change(id, word.substr(1));
        } else {
            change(word.substr(1), word.substr(0, 1));
        }
    }
}

std::string vcd_file::at(const std::string& name, uint64_t time) const {
    std::string value;
    for (const auto& [when, what] : of.at(name)) {
        if (when <= time) {
            value = what;
        }
    }
    return value;
}

} // namespace chimera::test
