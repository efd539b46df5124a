// SPDX-License-Identifier: Apache-2.0
#include "hw/die/value_content.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "hw/base/random.h"

namespace chimera::die {

using memory::data_block;

namespace {

// Where a die stands in a layout of a value.
struct place {
    const chm_layout* layout = nullptr;
    const chm_tensor* tensor = nullptr;
    const chm_routing* routing = nullptr;
    uint32_t rank = CHM_NO_RANK;
    chm_holding holding = {};
    bool routed = false;
};

place place_of(const chm_tables& tables, uint32_t value, const chm_layout& layout, uint32_t die) {
    const chm_value& entry = tables.values[value];
    place here;
    here.layout = &layout;
    here.tensor = &tables.tensors[entry.tensor];
    here.routing = entry.routing == CHM_NONE ? nullptr : &tables.routings[entry.routing];
    here.rank = chm_mesh_rank(&layout.mesh, die);
    here.routed = chm_layout_is_routed(&layout) && here.routing != nullptr;
    if (here.rank != CHM_NO_RANK) {
        here.holding = chm_layout_holding(&layout, here.tensor, here.rank);
    }
    return here;
}

data_block empty_block(const place& here) {
    data_block block(here.holding.rect);
    block.addends = here.holding.addends;
    if (here.routed) {
        block.clear_rows();
        block.addends = chm_layout_is_partial(here.layout) ? 2 : 1;
    }
    return block;
}

// The die's addend of a row and how many there are; false if it holds nothing of it.
bool addend_of(const place& here, uint64_t token, uint32_t& addend, uint32_t& addends) {
    addend = here.holding.addend;
    addends = here.holding.addends;
    if (!here.routed) {
        return true;
    }
    if (!chm_layout_holds_row(here.layout, here.tensor, here.routing, here.rank, token)) {
        return false;
    }
    addend = 0;
    addends = 1;
    if (chm_layout_is_partial(here.layout)) {
        uint32_t targets[chm_max_top_k];
        addends = chm_routing_targets(here.routing, token, targets);
        const uint32_t own = chm_layout_routed_index(here.layout, here.rank);
        addend = static_cast<uint32_t>(std::find(targets, targets + addends, own) - targets);
    }
    return true;
}

bool same_shape(const chm_tensor& a, const chm_tensor& b) {
    return a.tokens == b.tokens && a.width == b.width;
}

// The row of the first operand that the compute works on: the die's own if it is whole there.
void operand_row(const chm_truth& truth, const chm_tables& tables, const chm_operation& operation,
                 const data_block* own, uint64_t token, std::vector<float>& row) {
    const uint32_t value = operation.operands[0].value;
    const chm_tensor& from = tables.tensors[tables.values[value].tensor];
    const chm_tensor& to = tables.tensors[tables.values[operation.result].tensor];
    if (own != nullptr && same_shape(from, to) && own->has_row(token) &&
        own->row_width() == from.width) {
        std::copy_n(own->row(token), from.width, row.begin());
        return;
    }
    const float* source = chm_truth_row(&truth, value, token % from.tokens);
    for (uint64_t column = 0; column < to.width; ++column) {
        row[column] = source[column % from.width];
    }
}

std::string difference(const chm_tables& tables, uint32_t value, uint32_t die, uint64_t token,
                       uint64_t column, const std::string& got, const std::string& expected) {
    const char* name = tables.values[value].name;
    return "value " + (name != nullptr ? std::string(name) : std::to_string(value)) + " on die " +
           std::to_string(die) + ", token " + std::to_string(token) + ", column " +
           std::to_string(column) + ": got " + got + ", expected " + expected;
}

std::string format(float value) {
    char text[48];
    std::snprintf(text, sizeof text, "%.9g (%a)", static_cast<double>(value),
                  static_cast<double>(value));
    return text;
}

} // namespace

data_block input_block(const chm_truth& truth, const chm_tables& tables, uint32_t value,
                       uint32_t die) {
    const place here = place_of(tables, value, tables.layouts[tables.values[value].layout], die);
    data_block block = empty_block(here);
    const chm_rect& rect = block.rect();
    for (uint64_t token = rect.token_begin; token < rect.token_end; ++token) {
        uint32_t addend = 0, addends = 1;
        if (block.row_width() != 0 && addend_of(here, token, addend, addends)) {
            chm_truth_input(&truth, value, addend, addends, token, rect.width_begin, rect.width_end,
                            block.row(token));
            block.set_row(token);
        }
    }
    return block;
}

data_block result_block(const chm_truth& truth, const chm_tables& tables,
                        const chm_operation& operation, const memory::value_store& values) {
    const uint32_t value = operation.result;
    const place here =
        place_of(tables, value, tables.layouts[tables.values[value].layout], values.die());
    data_block block = empty_block(here);
    if (operation.operand_count == 0) {
        return input_block(truth, tables, value, values.die());
    }
    data_block own;
    const chm_layout& read = tables.layouts[operation.operands[0].layout];
    const bool complete =
        !chm_layout_is_partial(&read) && values.read(operation.operands[0].value, read, own);
    const chm_rect& rect = block.rect();
    std::vector<float> row(here.tensor->width);
    for (uint64_t token = rect.token_begin; token < rect.token_end; ++token) {
        uint32_t addend = 0, addends = 1;
        if (block.row_width() == 0 || !addend_of(here, token, addend, addends)) {
            continue;
        }
        operand_row(truth, tables, operation, complete ? &own : nullptr, token, row);
        float* out = block.row(token);
        chm_truth_apply(&truth, &operation, token, row.data(), row.size(), rect.width_begin,
                        rect.width_end, out);
        for (uint64_t i = 0; i < block.row_width() && addends > 1; ++i) {
            out[i] = chm_truth_part(out[i], rect.width_begin + i, addend, addends);
        }
        block.set_row(token);
    }
    return block;
}

std::string compare_block(const chm_truth& truth, const chm_tables& tables, uint32_t value,
                          const chm_layout& layout, uint32_t die, const data_block& block) {
    if (block.addends > 1 || chm_layout_is_partial(&layout)) {
        return "";
    }
    const place here = place_of(tables, value, layout, die);
    const chm_rect& rect = block.rect();
    for (uint64_t token = rect.token_begin; token < rect.token_end; ++token) {
        const bool expected_here =
            !here.routed ||
            chm_layout_holds_row(here.layout, here.tensor, here.routing, here.rank, token);
        if (block.has_row(token) != expected_here) {
            return difference(tables, value, die, token, rect.width_begin,
                              expected_here ? "no row" : "a row", expected_here ? "one" : "none");
        }
        if (!expected_here || block.row_width() == 0) {
            continue;
        }
        const float* row = chm_truth_row(&truth, value, token);
        const float* got = block.row(token);
        for (uint64_t i = 0; i < block.row_width(); ++i) {
            const uint64_t column = rect.width_begin + i;
            if (std::memcmp(&got[i], &row[column], sizeof(float)) != 0) {
                return difference(tables, value, die, token, column, format(got[i]),
                                  format(row[column]));
            }
        }
    }
    return "";
}

uint64_t digest_block(uint32_t value, uint32_t die, const data_block& block) {
    const chm_rect& rect = block.rect();
    uint64_t digest = chm_hash3(value, die, rect.token_begin ^ rect.width_begin << 32);
    for (uint64_t token = rect.token_begin; token < rect.token_end; ++token) {
        for (uint64_t i = 0; block.has_row(token) && i < block.row_width(); ++i) {
            uint32_t bits = 0;
            std::memcpy(&bits, &block.row(token)[i], sizeof bits);
            digest = chm_hash3(digest, token, bits);
        }
    }
    return digest;
}

} // namespace chimera::die
