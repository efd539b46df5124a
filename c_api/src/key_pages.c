// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/key_pages.h"

#include <stdio.h>
#include <string.h>

#include "c_api/src/configuration.h"
#include "c_api/src/settings.h"
#include "hw/golden/parameters.h"
#include "platforms/platform.h"
#include "platforms/user_graph.h"

// A page of documentation.

char* chm_key_default_text(const chm_key* key, char* buffer, size_t size) {
    chm_parameters parameters;
    // The program's keys lie in a smaller struct; both fit, and offsets come from the key's table.
    memset(&parameters, 0, sizeof parameters);
    if (key->default_value < key->minimum) {
        snprintf(buffer, size, "none"); // a shape key: the platform's file says
        return buffer;
    }
    chm_keys_default(&(chm_key_table){"", key, 1}, &parameters);
    return chm_key_format(key, &parameters, buffer, size);
}

static void page_row(const chm_key* key, chm_text* text) {
    char value[64];
    char allowed[256];
    chm_text_format(text, "| `%s` | %s | ", key->name, chm_key_default_text(key, value, 64));
    for (const char* at = chm_key_allowed(key, allowed, sizeof allowed); *at != '\0'; ++at) {
        chm_text_append(text, *at == '|' ? "\\|" : at, *at == '|' ? 2 : 1);
    }
    chm_text_format(text, " | %s |\n", key->meaning);
}

static void page_table(const chm_key_table* table, chm_text* text) {
    chm_text_format(text,
                    "\n## %s\n\n| key | default | allowed | meaning |\n| --- | --- | --- | --- |\n",
                    table->block);
    for (size_t k = 0; k < table->count; ++k) {
        page_row(&table->keys[k], text);
    }
}

void chm_key_reference(chm_text* text) {
    chm_text_string(text,
                    "# Every key\n\nWritten by `make pages` from the key tables that read the "
                    "files. A platform's "
                    "file may hold the keys of its kind and of\nthe hardware; `--set KEY=VALUE` "
                    "changes any of them, and those of the program.\n");
    for (size_t t = 0; t < chm_platform_shape_table_count; ++t) {
        page_table(chm_platform_shape_tables[t], text);
    }
    page_table(&chm_graph_link_keys, text);
    for (uint32_t t = 0; t < chm_parameter_table_count; ++t) {
        page_table(&chm_parameter_tables[t], text);
    }
    page_table(&chm_program_keys, text);
    page_table(&chm_run_keys, text);
    chm_text_string(
        text, "\n## Preset\n\n`costs: reference` makes engine, DMA, gating, host and metadata "
              "free and does not overlap reduction with arrival;\n`costs: default` puts "
              "these back.\n");
}
