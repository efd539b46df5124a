// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t not_found = UINT32_MAX;

static uint32_t find(const char* const* names, uint32_t count, const char* text, size_t length) {
    for (uint32_t i = 0; i < count; ++i) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
            return i;
        }
    }
    return not_found;
}

static bool linked(const chm_topology* topology, uint32_t from, uint32_t to) {
    for (uint32_t id = 0; id < topology->link_count; ++id) {
        const chm_link* link = &topology->links[id];
        if ((link->from_node == from && link->to_node == to) ||
            (link->from_node == to && link->to_node == from)) {
            return true;
        }
    }
    return false;
}

// Names may have dashes: any of them may be the one between two.
static bool find_link(const chm_topology* topology, const char* text, size_t length,
                      chm_failure* failure) {
    for (size_t dash = 1; dash + 1 < length; ++dash) {
        if (text[dash] != '-') {
            continue;
        }
        uint32_t from = find(topology->node_names, topology->nodes, text, dash);
        uint32_t to =
            find(topology->node_names, topology->nodes, text + dash + 1, length - dash - 1);
        if (from != not_found && to != not_found && linked(topology, from, to)) {
            failure->first = from;
            failure->second = to;
            return true;
        }
    }
    return false;
}

static bool find_time(const char* text, uint64_t* cycle) {
    size_t digits = strspn(text, "0123456789");
    *cycle = digits > 0 ? strtoull(text, NULL, 10) : 0;
    return digits > 0 && digits < 19 && text[digits] == '\0';
}

chm_status chm_failure_parse(chm_failure* failure, const chm_topology* topology, const char* text,
                             const chm_origin* origin, chm_diagnostics* diagnostics) {
    static const char link_word[] = "link:", die_word[] = "die:";
    bool link = strncmp(text, link_word, strlen(link_word)) == 0;
    bool die = strncmp(text, die_word, strlen(die_word)) == 0;
    const char* at = strrchr(text, '@');
    if ((!link && !die) || at == NULL || !find_time(at + 1, &failure->cycle)) {
        chm_diagnose(diagnostics, origin,
                     "got '%s'; allowed: link:NODE-NODE@CYCLE or die:DIE@CYCLE, CYCLE of at most "
                     "18 digits",
                     text);
        return chm_bad_input;
    }
    const char* name = text + strlen(link ? link_word : die_word);
    size_t length = (size_t)(at - name);
    failure->kind = link ? chm_failure_link : chm_failure_die;
    failure->first = failure->second = not_found;
    if (die) {
        failure->first = find(topology->die_names, topology->dies, name, length);
    }
    if (die ? failure->first == not_found : !find_link(topology, name, length, failure)) {
        chm_diagnose(
            diagnostics, origin, "got '%s'; allowed: %s of the platform, as %s%s%s", text,
            die ? "a die" : "two nodes with a link between them,",
            die || topology->link_count == 0 ? topology->die_names[0]
                                             : topology->node_names[topology->links[0].from_node],
            die || topology->link_count == 0 ? "" : "-",
            die || topology->link_count == 0 ? ""
                                             : topology->node_names[topology->links[0].to_node]);
        return chm_bad_input;
    }
    return chm_ok;
}

void chm_failure_mark(const chm_failure* failure, const chm_topology* topology, uint8_t* dead) {
    const bool die = failure->kind == chm_failure_die;
    const uint32_t node = die ? topology->die_node[failure->first] : failure->first;
    if (die && topology->node_die_count[node] > 1) {
        return;
    }
    for (uint32_t id = 0; id < topology->link_count; ++id) {
        const chm_link* link = &topology->links[id];
        const uint32_t other = link->from_node == node ? link->to_node
                               : link->to_node == node ? link->from_node
                                                       : not_found;
        if (other != not_found && (die || other == failure->second)) {
            dead[id] = 1;
        }
    }
}

void chm_failure_name(const chm_failure* failure, const chm_topology* topology, char* name,
                      size_t size) {
    if (failure->kind == chm_failure_die) {
        snprintf(name, size, "%s", topology->die_names[failure->first]);
    } else {
        snprintf(name, size, "link %s-%s", topology->node_names[failure->first],
                 topology->node_names[failure->second]);
    }
}
