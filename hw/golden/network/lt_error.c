// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/lt_error.h"

static const chm_lt_error errors[chm_lt_traffic_count] = {
    {"idle", "one message at a time", "cycles", 0, 0, 0},
    {"transitions", "collectives one after the other", "cycles", 0.1, 5, 8},
    {"streamed", "collectives that overlap chunk by chunk", "cycles", 1, 14, 14},
    {"messages", "independent messages", "cycles", 2, 6, 8},
    {"blocked", "independent messages that block each other at the heads of queues", "cycles", 25,
     25, 25},
    {"load", "packets offered below saturation", "accepted rate and mean latency", 0.1, 10, 10},
    {"saturated", "packets offered beyond saturation", "accepted rate and mean latency", 20, 90,
     90},
};

const chm_lt_error* chm_lt_error_of(chm_lt_traffic traffic) {
    return &errors[traffic];
}

size_t chm_lt_graph_traffic(bool dependent, chm_lt_traffic kinds[chm_lt_traffic_count]) {
    if (dependent) {
        kinds[0] = chm_lt_transitions;
        kinds[1] = chm_lt_streamed; // whether chunks overlap, the order of messages does not tell
        return 2;
    }
    kinds[0] = chm_lt_messages;
    kinds[1] = chm_lt_blocked;
    return 2;
}

chm_lt_traffic chm_lt_load_traffic(double offered, double accepted) {
    return accepted >= CHM_LT_TAKEN * offered ? chm_lt_load : chm_lt_saturated;
}
