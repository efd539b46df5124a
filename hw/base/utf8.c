// SPDX-License-Identifier: Apache-2.0
#include "hw/base/utf8.h"

// The bytes of the character that starts at `bytes`, 0 if they are not valid (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF).
static size_t character_bytes(const unsigned char* bytes, size_t left) {
    unsigned char lead = bytes[0];
    if (lead < 0x80) {
        return 1;
    }
    size_t count = lead >= 0xc2 && lead <= 0xdf   ? 2
                   : lead >= 0xe0 && lead <= 0xef ? 3
                   : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                  : 0;
    if (count == 0 || count > left) {
        return 0;
    }
    for (size_t i = 1; i < count; ++i) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    unsigned char second = bytes[1];
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
        return 0;
    }
    return count;
}

const char* chm_utf8_check(const char* text, size_t length, uint32_t* line, uint32_t* column) {
    const unsigned char* bytes = (const unsigned char*)text;
    *line = 1;
    *column = 1;
    for (size_t at = 0; at < length;) {
        unsigned char byte = bytes[at];
        size_t count = character_bytes(bytes + at, length - at);
        if (count == 0) {
            return "invalid UTF-8";
        }
        if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f) {
            return "a control character";
        }
        at += count;
        if (byte == '\n' || (byte == '\r' && !(at < length && bytes[at] == '\n'))) {
            ++*line;
            *column = 1;
        } else {
            ++*column;
        }
    }
    return NULL;
}
