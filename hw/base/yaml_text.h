// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/text.h"
#include "hw/base/yaml.h"

#ifdef __cplusplus
extern "C" {
#endif

// Appends a value in flow style on one line, such as [{name: left, dies: 4}, "a b"], as
// chm_yaml_read_text reads it back: same kinds, keys, texts and quotedness.
void chm_yaml_text(const chm_yaml_node* node, chm_text* text);

// Appends a scalar: as it is where that reads back as the same text, else in double quotes.
void chm_yaml_scalar_text(const char* scalar, bool quoted, chm_text* text);

#ifdef __cplusplus
}
#endif
