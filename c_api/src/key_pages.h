// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/json.h"
#include "hw/base/keys.h"
#include "hw/base/text.h"

// What is written from the key tables: they are the one statement of every key.

// The default as a file would say it; "none" where the file must say. Returns buffer.
char* chm_key_default_text(const chm_key* key, char* buffer, size_t size);

// docs/parameters.md: a table per block, in Markdown.
void chm_key_reference(chm_text* text);

// docs/platform.schema.json: JSON Schema of platform files and configurations, for editors.
void chm_key_schema(chm_json* json);
