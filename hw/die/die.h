// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hw/compute/host.h"
#include "hw/compute/systolic_array.h"
#include "hw/dma/dma.h"
#include "hw/fusion/engine.h"
#include "hw/memory/memory.h"

namespace chimera::die {

using initiator_socket = tlm::tlm_base_initiator_socket<>;
using target_socket = tlm::tlm_base_target_socket_b<>;

// Binds a memory-mapped link of a die; by default directly. A test puts a protocol checker between
// and returns it: the die keeps it as long as it lives.
using link_binder = std::function<std::shared_ptr<void>(initiator_socket& from, target_socket& to,
                                                        const char* link)>;

// What the parts of all dies share; must outlive them.
struct die_context {
    uint64_t clock_khz = 1000000;
    const chm_parameters* parameters = nullptr;
    const chm_workload* workload = nullptr;
    const memory::use_table* uses = nullptr;
    const chm_truth* truth = nullptr; // null: data is off
    fabric::packet_pool* packets = nullptr;
    fusion::recipe_book* recipes = nullptr;
    fusion::decision_log* decisions = nullptr;
    fusion::engine_observer* observer = nullptr;
    dma::run_recorder* recorder = nullptr; // null: nothing is recorded
    const std::vector<compute::injected_descriptor>* injected = nullptr;
    const link_binder* bind = nullptr; // null: direct
};

// A die: host and systolic array, memory, DMA and fusion engine, behind a network interface.
//
//   host ---- ctl ---> engine ---> dma ---> network interface
//     \---- mem ----> memory <---- mem (engine: descriptors, dma: bulk data when it costs)
class die : public sc_core::sc_module, private compute::result_maker {
public:
    die(const sc_core::sc_module_name& name, const die_context& context, uint32_t id,
        fabric::network_port& network);

    // Null: nobody. It is told how things are at `now`.
    void set_observer(trace::observer* observer, uint64_t now);

    uint32_t id() const { return m_id; }
    const compute::activity_meter& meter() const { return m_meter; }
    memory::value_store& values() { return m_values; }
    const memory::value_store& values() const { return m_values; }
    const fusion::engine& fusion_engine() const { return *m_engine; }
    const compute::host& stream_host() const { return *m_host; }
    const memory::memory& local_memory() const { return *m_memory; }
    uint64_t control_flits() const { return m_dma->control_flits(); }

    bool finished() const;
    bool timed_work_pending() const;
    // The cycle after the last event that the die's work needed.
    uint64_t last_completion() const;
    void describe_stuck(std::string& text) const;

private:
    void make_result(const chm_operation& operation, uint64_t now) override;
    void load_inputs();
    void bind_links();

    const die_context& m_context;
    uint32_t m_id;
    compute::activity_meter m_meter;
    memory::value_store m_values;
    std::unique_ptr<memory::memory> m_memory;
    std::unique_ptr<dma::dma> m_dma;
    std::unique_ptr<compute::systolic_array> m_array;
    std::unique_ptr<compute::host> m_host;
    std::unique_ptr<fusion::engine> m_engine;
    std::vector<std::shared_ptr<void>> m_links;
};

} // namespace chimera::die
