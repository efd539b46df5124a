// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/value_store.h"

#include <algorithm>
#include <utility>

namespace chimera::memory {

value_store::value_store(const use_table& uses, uint32_t die, bool data)
    : m_uses(uses), m_die(die), m_data(data), m_entries(uses.workload().tables.value_count) {
    const chm_tables& tables = uses.workload().tables;
    const std::vector<uint32_t>& counts = uses.uses_on(die);
    for (uint32_t value = 0; value < m_entries.size(); ++value) {
        const chm_value& info = tables.values[value];
        const bool here = uses.in_layout(info.layout, die);
        const bool produced = info.producer != CHM_NONE && here;
        m_entries[value].uses = counts[value];
        m_entries[value].result = counts[value] <= (produced ? 1u : 0u);
        if (info.producer == CHM_NONE && here) { // inputs are there from the start
            m_entries[value].ready = true;
            allocate(value, uses.layout_bytes(value, tables.layouts[info.layout], die));
        }
    }
}

void value_store::raise(uint32_t value, uint64_t now) {
    m_entries[value].ready = true;
    notify(now);
}

bool value_store::buffer_free(uint32_t value, const uint32_t* seqs, uint32_t count) const {
    for (uint32_t earlier = m_uses.previous(value); earlier != CHM_NONE;
         earlier = m_uses.previous(earlier)) {
        uint32_t own = 0;
        for (uint32_t i = 0; i < count && m_entries[earlier].uses > own; ++i) {
            own += m_uses.uses_by(m_uses.workload().operations[seqs[i]], earlier, m_die);
        }
        if (m_entries[earlier].uses > own) {
            return false;
        }
    }
    return true;
}

void value_store::finish_uses(const chm_operation& operation, uint64_t now) {
    m_uses.for_each_use(operation, m_die, [&](uint32_t value) {
        entry& item = m_entries[value];
        if (item.uses > 0 && --item.uses == 0 && !item.result) {
            m_live -= item.bytes;
            item.bytes = 0;
            std::vector<data_block>().swap(item.blocks);
        }
    });
    notify(now);
}

void value_store::allocate(uint32_t value, uint64_t bytes) {
    if (m_data) {
        for (uint32_t earlier = m_uses.previous(value); earlier != CHM_NONE;
             earlier = m_uses.previous(earlier)) {
            overwrite(m_entries[earlier]);
        }
    }
    m_entries[value].bytes += bytes;
    m_live += bytes;
    m_peak = std::max(m_peak, m_live + m_staged);
}

void value_store::overwrite(entry& item) {
    for (data_block& block : item.blocks) {
        block.spoil();
    }
}

void value_store::stage(uint64_t bytes) {
    m_staged += bytes;
    m_peak = std::max(m_peak, m_live + m_staged);
}

void value_store::add_block(uint32_t value, data_block&& block) {
    m_entries[value].blocks.push_back(std::move(block));
}

bool value_store::read(uint32_t value, const chm_layout& layout, data_block& block) const {
    const chm_tables& tables = m_uses.workload().tables;
    const uint32_t rank = chm_mesh_rank(&layout.mesh, m_die);
    if (rank == CHM_NO_RANK) {
        return false;
    }
    const chm_tensor& tensor = tables.tensors[tables.values[value].tensor];
    const chm_holding wanted = chm_layout_holding(&layout, &tensor, rank);
    const entry& item = m_entries[value];
    for (const data_block& have : item.blocks) {
        if ((have.addends > 1) == (wanted.addends > 1) &&
            chm_rect_contains(&have.rect(), &wanted.rect)) {
            block.reset(wanted.rect);
            block.addends = have.addends;
            if (have.sparse()) {
                block.clear_rows();
            }
            block.copy_from(have, wanted.rect);
            return true;
        }
    }
    if (wanted.addends <= 1 || item.blocks.empty()) {
        return false;
    }
    block.reset(wanted.rect);
    block.addends = wanted.addends;
    const chm_rect part = embedded_part(layout, tensor, rank);
    for (const data_block& have : item.blocks) {
        if (have.addends == 1) {
            block.copy_from(have, part);
        }
    }
    return true;
}

void value_store::notify(uint64_t now) {
    for (value_listener* listener : m_listeners) {
        listener->values_changed(now);
    }
}

} // namespace chimera::memory
