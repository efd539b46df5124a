// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/operation.h"

const char* chm_collective_name(chm_collective_kind kind) {
    switch (kind) {
    case chm_reduce_scatter: return "R-S";
    case chm_all_gather: return "A-G";
    case chm_all_reduce: return "A-R";
    case chm_all_to_all: return "A2A";
    case chm_point_to_point: return "P2P";
    case chm_many_to_many: return "M2MS";
    }
    return "?";
}

const char* chm_class_name(chm_operation_class op_class) {
    switch (op_class) {
    case chm_class_opaque: return "opaque";
    case chm_class_transparent: return "transparent";
    case chm_class_row_wise: return "row_wise";
    case chm_class_element_wise: return "element_wise";
    case chm_class_linear: return "linear";
    }
    return "?";
}
