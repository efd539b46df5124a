// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>

#include "hw/base/text.h"
#include "platforms/user_graph.h"
#include "platforms/user_graph_reader.h"

static const chm_key link_keys[] = {
    {"count", chm_key_u64, "", offsetof(chm_graph_link, count), 1, 1, 1024, NULL,
     "Parallel links, each as the entry says."},
    {"latency_cycles", chm_key_u64, "cycles", offsetof(chm_graph_link, latency_cycles), 0, 1, 1e6,
     NULL, "For data forward and for credits back; absent: link_latency_cycles."},
    {"cycles_per_flit", chm_key_u64, "cycles", offsetof(chm_graph_link, cycles_per_flit), 0, 1,
     chm_slowest_link, NULL,
     "It carries a flit every so many cycles; absent: link_cycles_per_flit."},
    {"bytes_per_cycle", chm_key_f64, "bytes/cycle", offsetof(chm_graph_link, bytes_per_cycle), 0,
     1.0 / chm_slowest_link, 4096, NULL,
     "The same in other words: flit_bytes / cycles_per_flit, within a thousandth."},
};
const chm_key_table chm_graph_link_keys = {"links of a graph, each entry of the list", link_keys,
                                           sizeof link_keys / sizeof link_keys[0]};

// The number of a key of the table above.
static bool read_number(chm_graph_reader* in, const chm_yaml_node* entry, const char* name,
                        uint64_t absent, uint64_t* number) {
    const chm_key* key = chm_keys_find(&chm_graph_link_keys, name);
    return chm_graph_number(in, entry, name, absent, (uint64_t)key->minimum, (uint64_t)key->maximum,
                            number);
}

// bytes_per_cycle is the bandwidth as users know it (at 1 GHz, GB/s). A flit takes whole cycles, so
// it is flit_bytes / n; thirds and the like may be rounded by so much of it.
static const double rounding = 0.001;

static bool read_bandwidth(chm_graph_reader* in, const chm_yaml_node* value,
                           uint64_t* cycles_per_flit) {
    const double flit = (double)in->request->fabric->flit_bytes;
    const double least = flit / chm_slowest_link;
    double bytes = 0;
    const char* text = value->kind == chm_yaml_scalar ? value->text : "a list or mapping";
    bool number = value->kind == chm_yaml_scalar && chm_parse_double(text, &bytes);
    if (number && bytes >= least * (1 - rounding) && bytes <= flit * (1 + rounding)) {
        double cycles = fmin(fmax(round(flit / bytes), 1), chm_slowest_link);
        if (fabs(bytes * cycles - flit) <= flit * rounding) {
            *cycles_per_flit = (uint64_t)cycles;
            return true;
        }
        double faster = floor(flit / bytes);
        chm_diagnose(in->request->diagnostics, &value->origin,
                     "key 'bytes_per_cycle': got '%s'; allowed: flit_bytes %" PRIu64
                     " / 1, 2, 3 .. %d, the nearest being %.4g and %.4g (cycles_per_flit %.0f and "
                     "%.0f)",
                     text, in->request->fabric->flit_bytes, chm_slowest_link, flit / faster,
                     flit / (faster + 1), faster, faster + 1);
        return false;
    }
    chm_diagnose(in->request->diagnostics, &value->origin,
                 "key 'bytes_per_cycle': got '%s'; allowed: flit_bytes %" PRIu64
                 " / 1, 2, 3 .. %d, at most %" PRIu64,
                 text, in->request->fabric->flit_bytes, chm_slowest_link,
                 in->request->fabric->flit_bytes);
    return false;
}

static bool read_speed(chm_graph_reader* in, const chm_yaml_node* entry, chm_link_speed* speed) {
    const chm_link_speed usual = chm_usual_speed(in->request->fabric);
    bool sound =
        read_number(in, entry, "latency_cycles", usual.latency_cycles, &speed->latency_cycles);
    sound &=
        read_number(in, entry, "cycles_per_flit", usual.cycles_per_flit, &speed->cycles_per_flit);
    const chm_yaml_node* bandwidth = chm_yaml_get(entry, "bytes_per_cycle");
    if (bandwidth == NULL) {
        return sound;
    }
    if (chm_yaml_get(entry, "cycles_per_flit") != NULL) {
        chm_diagnose(in->request->diagnostics, &bandwidth->origin,
                     "a link has either cycles_per_flit or bytes_per_cycle, which say the same");
        return false;
    }
    return read_bandwidth(in, bandwidth, &speed->cycles_per_flit) && sound;
}

void chm_graph_read_link(chm_graph_reader* in, const chm_yaml_node* entry) {
    if (!chm_graph_is_entry(in, entry, "a link", "{between: [left, right], count: 2}")) {
        return;
    }
    const chm_yaml_node* between = chm_yaml_get(entry, "between");
    const chm_yaml_node* from = chm_yaml_get(entry, "from");
    const chm_yaml_node* to = chm_yaml_get(entry, "to");
    uint64_t count;
    chm_link_speed speed;
    bool sound = read_number(in, entry, "count", 1, &count);
    sound &= read_speed(in, entry, &speed);
    chm_yaml_refuse_unknown(entry,
                            "between, from, to, count, latency_cycles, cycles_per_flit, "
                            "bytes_per_cycle",
                            in->request->diagnostics);
    bool pair = between != NULL && between->kind == chm_yaml_sequence && between->count == 2;
    if (pair == (from != NULL && to != NULL) || (between != NULL) == (from != NULL || to != NULL)) {
        chm_diagnose(in->request->diagnostics, &entry->origin,
                     "a link has either between: [node, node] or from: node and to: node");
        return;
    }
    uint32_t a = 0;
    uint32_t b = 0;
    sound &= chm_graph_node(in, pair ? &between->items[0] : from, pair ? "between" : "from", &a);
    sound &= chm_graph_node(in, pair ? &between->items[1] : to, pair ? "between" : "to", &b);
    if (sound && a == b) {
        chm_diagnose(in->request->diagnostics, &entry->origin,
                     "a link leads from node '%s' to itself", in->wiring.node_names[a]);
        return;
    }
    if (sound) {
        chm_wiring_links(&in->wiring, a, b, (uint32_t)count, speed);
        chm_wiring_links(&in->wiring, b, a, pair ? (uint32_t)count : 0, speed);
    }
}
