// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/operation.h"
#include "hw/golden/network/topology.h"

// Which layouts type for a collective. Internal to the pair table.

enum { chm_pair_groups = 3, chm_pair_group_dies = 4, chm_pair_layouts = 72 };

// A layout of one of the three groups.
typedef struct chm_pair_layout {
    chm_layout layout;
    uint32_t group;
} chm_pair_layout;

// The three groups of four dies on a topology; false if it has fewer than eight. The third overlaps
// the others where there are fewer than twelve dies.
bool chm_pair_choose_groups(const chm_topology* topology,
                            uint32_t dies[chm_pair_groups][chm_pair_group_dies]);

// All layouts of a one- or two-dimensional mesh on each group (routed ones in one dimension only);
// returns their number.
uint32_t chm_pair_list_layouts(const uint32_t dies[chm_pair_groups][chm_pair_group_dies],
                               uint32_t dimensions, chm_pair_layout list[chm_pair_layouts]);

// True if `kind` may turn one into the other, along one dimension of the mesh.
bool chm_pair_types(chm_collective_kind kind, const chm_pair_layout* in,
                    const chm_pair_layout* out);

// True if the second collective may consume `taken` where `left` was produced: the same, or along
// dimensions where it is replicated a slice or zeros embedded around one copy.
bool chm_pair_follows(const chm_pair_layout* left, const chm_pair_layout* taken);
