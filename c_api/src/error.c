// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/error.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "c_api/include/chimera.h"

// Per thread: the text, released when the thread ends.
static once_flag slot_once = ONCE_FLAG_INIT;
static tss_t slot;
static int slot_ready;

static void make_slot(void) {
    slot_ready = tss_create(&slot, free) == thrd_success;
}

static void store(char* text) {
    call_once(&slot_once, make_slot);
    if (!slot_ready) {
        free(text);
        return;
    }
    free(tss_get(slot));
    tss_set(slot, text);
}

static char* copy_text(const char* text) {
    size_t size = strlen(text) + 1;
    char* copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

const char* chm_last_error(void) {
    call_once(&slot_once, make_slot);
    const char* text = slot_ready ? tss_get(slot) : NULL;
    return text != NULL ? text : "";
}

chm_status chm_error_take(chm_status status, chm_diagnostics* diagnostics) {
    if (status != chm_ok) {
        const char* text = chm_diagnostics_text(diagnostics);
        store(copy_text(text[0] != '\0' ? text : chm_status_string(status)));
    }
    chm_diagnostics_free(diagnostics);
    return status;
}

chm_status chm_error_set(chm_status status, const char* format, ...) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    va_list arguments;
    va_start(arguments, format);
    chm_origin named_here = {NULL, 0, 0}; // by the format; one line
    chm_diagnose_v(&diagnostics, &named_here, format, arguments);
    va_end(arguments);
    return chm_error_take(status, &diagnostics);
}
