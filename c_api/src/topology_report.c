// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "c_api/src/error.h"
#include "c_api/src/report.h"
#include "c_api/src/topology_layout.h"
#include "hw/base/yaml.h"
#include "platforms/platform.h"

enum { most_drawn_dies = 4096 };

static const double half_box = 22; // of a die

// The drawing: a topology, where it stands, and how busy its links were.
typedef struct drawing {
    const chm_topology* topology;
    chm_topology_layout layout;
    uint64_t* busy; // [link_count], null: not known
    uint64_t cycles;
    const char* program;
    chm_text* text;
} drawing;

static void number(const drawing* in, const char* attribute, double value) {
    chm_text_format(in->text, " %s=\"", attribute);
    chm_text_double(in->text, value, 1);
    chm_text_string(in->text, "\"");
}

// Grey when idle, then from blue over to red.
static void link_colour(const drawing* in, uint32_t link) {
    const double share = in->busy != NULL && in->cycles > 0
                             ? fmin(1, (double)in->busy[link] / (double)in->cycles)
                             : 0;
    if (share == 0) {
        chm_text_string(in->text, " stroke=\"#b8b8b8\" stroke-width=\"2\"");
        return;
    }
    chm_text_format(in->text, " stroke=\"#%02x%02x%02x\"", (unsigned)(40 + 200 * share), 60,
                    (unsigned)(220 - 190 * share));
    number(in, "stroke-width", 2 + 4 * share);
}

// Number of this link among those of the same direction between the same nodes.
static uint32_t rank_of(const chm_topology* topology, uint32_t link) {
    const uint32_t from = topology->links[link].from_node;
    uint32_t rank = 0;
    for (uint32_t i = topology->first_out_link[from]; i < topology->first_out_link[from + 1]; ++i) {
        const uint32_t other = topology->out_links[i];
        rank += other < link && topology->links[other].to_node == topology->links[link].to_node;
    }
    return rank;
}

// A line for neighbours, an arc for what would run through others (the wrap links of a torus).
static void draw_link(const drawing* in, uint32_t id) {
    const chm_topology* topology = in->topology;
    const chm_link* link = &topology->links[id];
    const chm_point a = in->layout.nodes[link->from_node];
    const chm_point b = in->layout.nodes[link->to_node];
    const double length = fmax(1, hypot(b.x - a.x, b.y - a.y));
    const double ux = (b.x - a.x) / length;
    const double uy = (b.y - a.y) / length;
    const double shift = 3 + 5 * rank_of(topology, id); // each direction on its own side
    const double bend = topology->wraps && length > 150 ? 0.18 * length + 20 : 0;
    const double x1 = a.x - uy * shift;
    const double y1 = a.y + ux * shift;
    const double x2 = b.x - uy * shift;
    const double y2 = b.y + ux * shift;
    chm_text_string(in->text, "<path fill=\"none\"");
    link_colour(in, id);
    chm_text_string(in->text, " d=\"M");
    const double points[6] = {x1, y1, (x1 + x2) / 2 - uy * bend, (y1 + y2) / 2 + ux * bend, x2, y2};
    for (int i = 0; i < 6; ++i) {
        chm_text_string(in->text, i == 2 ? " Q" : " ");
        chm_text_double(in->text, points[i], 1);
    }
    chm_text_format(in->text, "\"><title>%s to %s, %" PRIu32 " cycles",
                    topology->node_names[link->from_node], topology->node_names[link->to_node],
                    link->latency_cycles);
    if (link->cycles_per_flit > 1) {
        chm_text_format(in->text, ", a flit every %" PRIu32 ": ", link->cycles_per_flit);
        chm_text_double(in->text, (double)topology->flit_bytes / link->cycles_per_flit, 2);
        chm_text_string(in->text, " bytes per cycle");
    }
    if (in->busy != NULL) {
        chm_text_format(in->text, ", busy %" PRIu64 " of %" PRIu64, in->busy[id], in->cycles);
    }
    chm_text_string(in->text, "</title></path>\n");
}

static void draw_box(const drawing* in, chm_point at, double half_width, const char* fill,
                     const char* label) {
    chm_text_string(in->text, "<rect");
    number(in, "x", at.x - half_width);
    number(in, "y", at.y - half_box * 0.8);
    number(in, "width", 2 * half_width);
    number(in, "height", half_box * 1.6);
    chm_text_format(in->text, " rx=\"4\" fill=\"%s\" stroke=\"#333\"/><text", fill);
    number(in, "x", at.x);
    number(in, "y", at.y + 4);
    chm_text_format(in->text, ">%s</text>\n", label);
}

// "3_2" of "die_3_2": the word is on every one of them.
static const char* short_name(const char* name) {
    const char* rest = strchr(name, '_');
    return rest != NULL && rest[1] != '\0' ? rest + 1 : name;
}

static void draw_nodes(const drawing* in) {
    const chm_topology* topology = in->topology;
    for (uint32_t d = 0; d < topology->dies; ++d) {
        const uint32_t node = topology->die_node[d];
        const chm_point die = in->layout.dies[d];
        const chm_point at = in->layout.nodes[node];
        if (at.x != die.x || at.y != die.y) {
            chm_text_string(in->text, "<line stroke=\"#b8b8b8\"");
            number(in, "x1", at.x);
            number(in, "y1", at.y);
            number(in, "x2", die.x);
            number(in, "y2", die.y);
            chm_text_string(in->text, "/>\n");
        }
        draw_box(in, die, half_box, "#dfe9f7", short_name(topology->die_names[d]));
    }
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        const bool hidden =
            topology->node_die_count[n] == 1 &&
            in->layout.nodes[n].x ==
                in->layout.dies[topology->node_dies[topology->first_node_die[n]]].x &&
            topology->nodes == topology->dies;
        if (!hidden) {
            draw_box(in, in->layout.nodes[n], 46, "#f3e3c8", topology->node_names[n]);
        }
    }
}

static void draw(const drawing* in) {
    const chm_topology* topology = in->topology;
    chm_text_string(in->text, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    number(in, "width", in->layout.width);
    number(in, "height", in->layout.height);
    chm_text_string(in->text, " font-family=\"sans-serif\" font-size=\"11\" "
                              "text-anchor=\"middle\">\n<rect width=\"100%\" height=\"100%\" "
                              "fill=\"white\"/>\n");
    chm_text_format(in->text,
                    "<text x=\"12\" y=\"24\" font-size=\"15\" text-anchor=\"start\">%s: %" PRIu32
                    " dies, %" PRIu32 " links</text>\n",
                    topology->name, topology->dies, topology->link_count);
    if (in->busy != NULL) {
        uint64_t most = 0;
        for (uint32_t l = 0; l < topology->link_count; ++l) {
            most = in->busy[l] > most ? in->busy[l] : most;
        }
        chm_text_format(in->text,
                        "<text x=\"12\" y=\"42\" text-anchor=\"start\">%s: %" PRIu64
                        " cycles; the busiest link %" PRIu64 " (",
                        in->program, in->cycles, most);
        chm_text_double(in->text, in->cycles > 0 ? 100.0 * (double)most / (double)in->cycles : 0,
                        0);
        chm_text_string(in->text, " %); grey idle, blue to red busy</text>\n");
    }
    for (uint32_t l = 0; l < topology->link_count; ++l) {
        draw_link(in, l);
    }
    draw_nodes(in);
    chm_text_string(in->text, "</svg>\n");
}

static bool scalar_u64(const chm_yaml_node* node, uint64_t* value) {
    return node != NULL && node->kind == chm_yaml_scalar && chm_parse_u64(node->text, value);
}

static bool names(const chm_yaml_node* node, const char* name) {
    return node != NULL && node->kind == chm_yaml_scalar && strcmp(node->text, name) == 0;
}

// The links of a statistics file must be those of the platform, in its order.
static chm_status read_statistics(drawing* in, const char* path, chm_arena* arena,
                                  chm_diagnostics* diagnostics) {
    const chm_topology* topology = in->topology;
    const chm_origin file = {path, 0, 0};
    const chm_yaml_node* root;
    chm_status status = chm_yaml_read_file(path, arena, &root, diagnostics);
    if (status != chm_ok) {
        return status;
    }
    const chm_yaml_node* links = chm_yaml_get(root, "links");
    const chm_yaml_node* program = chm_yaml_get(root, "program");
    if (links == NULL || links->kind != chm_yaml_sequence || program == NULL ||
        program->kind != chm_yaml_scalar ||
        !scalar_u64(chm_yaml_get(root, "cycles"), &in->cycles)) {
        chm_diagnose(diagnostics, &file,
                     "no statistics of a run; allowed: what 'chimera run ... --stats FILE' writes");
        return chm_bad_input;
    }
    in->busy = chm_arena_alloc(arena, topology->link_count, sizeof *in->busy);
    in->program = program->text;
    if (in->busy == NULL) {
        return chm_no_memory;
    }
    bool same = links->count == topology->link_count;
    for (uint32_t l = 0; same && l < topology->link_count; ++l) {
        const chm_yaml_node* item = &links->items[l];
        const chm_link* link = &topology->links[l];
        same = names(chm_yaml_get(item, "from"), topology->node_names[link->from_node]) &&
               names(chm_yaml_get(item, "to"), topology->node_names[link->to_node]) &&
               scalar_u64(chm_yaml_get(item, "busy_cycles"), &in->busy[l]);
    }
    if (!same) {
        chm_diagnose(diagnostics, &links->origin,
                     "these are not the links of %s; allowed: statistics of a run on it",
                     topology->name);
    }
    return same ? chm_ok : chm_bad_input;
}

static chm_status make(drawing* in, const char* path, chm_arena* arena,
                       chm_diagnostics* diagnostics) {
    chm_status status = chm_ok;
    if (in->topology->dies > most_drawn_dies) {
        chm_diagnose(diagnostics, NULL, "%s has %" PRIu32 " dies; a picture has at most %d",
                     in->topology->name, in->topology->dies, most_drawn_dies);
        return chm_unsupported;
    }
    if (path != NULL) {
        status = read_statistics(in, path, arena, diagnostics);
    }
    if (status == chm_ok) {
        status = chm_topology_place(in->topology, arena, &in->layout);
    }
    if (status == chm_ok) {
        draw(in);
    }
    return status;
}

chm_status chm_topology_report(chm_report** report, const chm_platform* platform,
                               const char* statistics_path) {
    if (report == NULL || platform == NULL) {
        return chm_error_set(chm_bad_argument, "argument report or platform: null");
    }
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_text text;
    chm_text_init(&text);
    drawing in = {.topology = &platform->topology, .text = &text};
    chm_status status = make(&in, statistics_path, &arena, &diagnostics);
    chm_arena_free(&arena);
    if (status != chm_ok) {
        chm_text_free(&text);
        return chm_error_take(status, &diagnostics);
    }
    chm_diagnostics_free(&diagnostics);
    return chm_report_take(report, &text, status);
}
