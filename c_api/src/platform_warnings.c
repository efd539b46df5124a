// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>

#include "c_api/src/error.h"
#include "c_api/src/report.h"
#include "hw/golden/network/route_circle.h"
#include "platforms/platform.h"
#include "platforms/platform_kinds.h"

enum { most_lines = 16 };

// Number of this link among those of the same direction between the same nodes, and how many.
static uint32_t rank_of(const chm_topology* topology, uint32_t link, uint32_t* count) {
    const chm_link* named = &topology->links[link];
    uint32_t rank = 0;
    *count = 0;
    for (uint32_t i = topology->first_out_link[named->from_node];
         i < topology->first_out_link[named->from_node + 1]; ++i) {
        uint32_t other = topology->out_links[i];
        bool parallel = topology->links[other].to_node == named->to_node;
        rank += parallel && other < link;
        *count += parallel;
    }
    return rank;
}

static void channel_line(const chm_topology* topology, const chm_route_channel* channel,
                         chm_text* text) {
    const chm_link* link = &topology->links[channel->link];
    chm_text_format(text, "  %s to %s", topology->node_names[link->from_node],
                    topology->node_names[link->to_node]);
    uint32_t parallel;
    uint32_t rank = rank_of(topology, channel->link, &parallel);
    if (parallel > 1) {
        chm_text_format(text, " link %" PRIu32, rank);
    }
    if (topology->vc_classes > 1) {
        chm_text_format(text, " class %" PRIu32, channel->vc_class);
    }
    chm_text_format(text, ", by packets from die %" PRIu32 " to die %" PRIu32 "\n", channel->source,
                    channel->destination);
}

static chm_status write_circle(const chm_topology* topology, chm_arena* arena, chm_text* text) {
    const chm_route_channel* channels;
    uint32_t count;
    chm_status status = chm_route_circle(topology, arena, &channels, &count);
    if (status != chm_ok || count == 0) {
        return status;
    }
    chm_text_format(text,
                    "routes of %s may lock: each of these %" PRIu32
                    " channels can be held by packets that wait for the next one, and the last "
                    "by some that wait for the first\n",
                    topology->name, count);
    for (uint32_t i = 0; i < count && i < most_lines; ++i) {
        channel_line(topology, &channels[i], text);
    }
    if (count > most_lines) {
        chm_text_format(text, "  and %" PRIu32 " more\n", count - most_lines);
    }
    chm_text_string(text, "allowed; classes that change along the circle, or routing: up_down, "
                          "avoid it (platforms/README.md)\n");
    return chm_ok;
}

chm_status chm_platform_warnings(chm_report** report, const chm_platform* platform) {
    if (report == NULL || platform == NULL) {
        return chm_error_set(chm_bad_argument, "argument report or platform: null");
    }
    chm_arena arena;
    chm_arena_init(&arena);
    chm_text text;
    chm_text_init(&text);
    // Of all other kinds it is known (platforms/README.md) that nothing locks.
    bool own_routes = platform->kind->lists != NULL;
    chm_status status = own_routes ? write_circle(&platform->topology, &arena, &text) : chm_ok;
    chm_arena_free(&arena);
    return chm_report_take(report, &text, status);
}
