// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include <systemc>

#include "hw/compute/activity_meter.h"
#include "hw/golden/parameters.h"
#include "hw/kernel/agenda.h"
#include "hw/memory/value_store.h"
#include "hw/trace/observer.h"

namespace chimera::compute {

// Told when work that was put between tiles is done.
class tile_client {
public:
    virtual ~tile_client() = default;
    virtual void tile_work_done(uint64_t id, uint64_t now) = 0;
};

// Makes a result's data block when a compute ends (data on).
class result_maker {
public:
    virtual ~result_maker() = default;
    virtual void make_result(const chm_operation& operation, uint64_t now) = 0;
};

struct array_context {
    uint64_t clock_khz = 1000000;
    const chm_compute_params* params = nullptr;
    memory::value_store* values = nullptr;
    activity_meter* meter = nullptr;
    result_maker* results = nullptr; // null: data is off
};

// The systolic array of a die with its in-order queue. A compute starts when what it reads on this
// die is there and its result's buffer is free, lasts its operation's cycles, and raises its
// result's flag. Work of the engine goes between tiles: it starts at the next tile boundary and
// pushes the end of the running compute back; so the queue cannot hold up what it waits for. A tile
// is the shortest pass of the array, array_rows + array_columns cycles.
class systolic_array : public sc_core::sc_module, public memory::value_listener {
public:
    SC_HAS_PROCESS(systolic_array);

    systolic_array(const sc_core::sc_module_name& name, const array_context& context);

    void push(uint32_t seq, uint64_t now);
    // Returns the cycle at which the work ends.
    uint64_t put_between_tiles(uint64_t id, uint64_t cycles, tile_client& client, uint64_t now);
    void values_changed(uint64_t now) override { m_wakeup.at(now); }

    // Null: nobody. It is told how things are at `now`.
    void set_observer(trace::observer* observer, uint64_t now);

    bool idle() const { return m_queue.empty(); }
    bool timed_work_pending() const { return m_running || !m_tiles.empty(); }
    uint64_t last_completion() const { return m_last_completion; }
    void describe_stuck(std::string& text) const;

private:
    struct tile_work {
        uint64_t id;
        tile_client* client;
    };

    void activate();
    void try_start(uint64_t now);
    void finish(uint64_t now);
    void tell(uint32_t seq, uint64_t now);
    bool ready(const chm_operation& operation) const;
    uint64_t next_boundary(uint64_t now) const;

    array_context m_context;
    trace::observer* m_trace = nullptr;
    kernel::wakeup m_wakeup;
    std::deque<uint32_t> m_queue; // seqs; the front one runs if m_running
    bool m_running = false;
    uint64_t m_start = 0, m_end = 0; // of the running compute; start moves with inserted work
    uint64_t m_tile_free = 0;        // inserted work ends here
    kernel::agenda<tile_work> m_tiles;
    uint64_t m_last_completion = 0;
};

} // namespace chimera::compute
