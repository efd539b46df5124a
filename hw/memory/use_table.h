// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/golden/fusion/workload.h"

namespace chimera::memory {

// Who uses which value on which die, worked out once from what the dies queue. A use is one
// operation that a die queues and that reads the value in a layout with this die, or produces it
// here. A value's buffer may be written again on a die when no use of an earlier value in it is
// left there.
class use_table {
public:
    // `workload` must outlive the table.
    explicit use_table(const chm_workload& workload);

    const chm_workload& workload() const { return m_workload; }

    // True if the die is in the layout's mesh.
    bool in_layout(uint32_t layout, uint32_t die) const {
        return layout != CHM_NONE && m_members[layout * m_workload.dies + die] != 0;
    }

    // Uses of a value that one operation makes on a die (0 .. operands + 1).
    uint32_t uses_by(const chm_operation& operation, uint32_t value, uint32_t die) const;

    // Calls visit(value) once per use that the operation makes on the die.
    template<typename Visit>
    void for_each_use(const chm_operation& operation, uint32_t die, Visit visit) const {
        for (uint32_t i = 0; i < operation.operand_count; ++i) {
            if (in_layout(operation.operands[i].layout, die)) {
                visit(operation.operands[i].value);
            }
        }
        if (operation.result != CHM_NONE &&
            in_layout(m_workload.tables.values[operation.result].layout, die)) {
            visit(operation.result);
        }
    }

    // All uses of each value on a die: what a value_store starts with.
    const std::vector<uint32_t>& uses_on(uint32_t die) const { return m_uses[die]; }

    // The value that had the same buffer before, CHM_NONE for the first.
    uint32_t previous(uint32_t value) const { return m_previous[value]; }

    // Bytes of a layout's block of a value on a die; 0 if it has none.
    uint64_t layout_bytes(uint32_t value, const chm_layout& layout, uint32_t die) const;

private:
    void count_uses();
    void order_buffers();

    const chm_workload& m_workload;
    std::vector<uint8_t> m_members;            // [layout][die]
    std::vector<std::vector<uint32_t>> m_uses; // [die][value]
    std::vector<uint32_t> m_previous;          // [value]
};

} // namespace chimera::memory
