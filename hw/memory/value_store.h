// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/memory/data_block.h"
#include "hw/memory/use_table.h"
#include "hw/memory/value_watcher.h"

namespace chimera::memory {

// Told when a flag has risen or a buffer has become free on its die.
class value_listener {
public:
    virtual ~value_listener() = default;
    virtual void values_changed(uint64_t now) = 0;
};

// The tensor values on one die: their flags (is this die's part there?), who still uses their
// buffers, how many bytes are live and, with data on, the elements themselves. Bulk data lies here
// in plain buffers beside the memory module, which is charged by transactions when it is not ideal.
class value_store {
public:
    // `uses` must outlive the store.
    value_store(const use_table& uses, uint32_t die, bool data);

    void add_listener(value_listener* listener) { m_listeners.push_back(listener); }

    // May be null. Array and host tell it what waits for values.
    void set_watcher(value_watcher* watcher) { m_watcher = watcher; }
    value_watcher* watcher() const { return m_watcher; }

    uint32_t die() const { return m_die; }
    bool data_on() const { return m_data; }
    const use_table& uses() const { return m_uses; }

    bool ready(uint32_t value) const { return m_entries[value].ready; }
    // True if what the operand reads on this die is there (or it reads nothing here).
    bool ready(const chm_operand& operand) const {
        return !m_uses.in_layout(operand.layout, m_die) || ready(operand.value);
    }
    void raise(uint32_t value, uint64_t now);

    // True if no operation other than the listed ones still uses an earlier value of its buffer.
    bool buffer_free(uint32_t value, const uint32_t* seqs, uint32_t count) const;

    // An operation has ended on this die: its uses are over.
    void finish_uses(const chm_operation& operation, uint64_t now);

    // The buffer of `value` is written from now on and holds so many bytes more on this die. What
    // earlier values left in it is lost (data on: replaced by a pattern that no result equals).
    void allocate(uint32_t value, uint64_t bytes);
    void stage(uint64_t bytes);
    void unstage(uint64_t bytes) { m_staged -= bytes; }
    uint64_t live_bytes() const { return m_live; }
    uint64_t peak_bytes() const { return m_peak; }

    // Data on: the blocks of a value on this die, one per layout in which it is there.
    void add_block(uint32_t value, data_block&& block);
    const std::vector<data_block>& blocks(uint32_t value) const { return m_entries[value].blocks; }

    // Data on: what this die reads of a value in a layout: an exact or larger block (slice), else a
    // zero block with the known part in it (embed). False if nothing fits.
    bool read(uint32_t value, const chm_layout& layout, data_block& block) const;

private:
    struct entry {
        uint32_t uses = 0;
        uint64_t bytes = 0;
        bool ready = false;
        bool result = false; // nobody here reads it: it stays to the end
        std::vector<data_block> blocks;
    };

    void overwrite(entry& item);
    void notify(uint64_t now);

    const use_table& m_uses;
    uint32_t m_die;
    bool m_data;
    std::vector<entry> m_entries;
    std::vector<value_listener*> m_listeners;
    value_watcher* m_watcher = nullptr;
    uint64_t m_live = 0, m_staged = 0, m_peak = 0;
};

} // namespace chimera::memory
