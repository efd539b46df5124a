// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/die/die.h"
#include "hw/fabric/fabric.h"
#include "hw/fabric/watchdog.h"
#include "hw/kernel/context.h"
#include "hw/trace/tracer.h"

namespace chimera::die {

// Whether the engine is on is in the workload: its communicators ask for a window of 1 or more.
struct machine_options {
    bool data = false;          // transfers carry real elements, compared with the truth
    bool random_floats = false; // of the inputs; else integers whose sums are exact
    double stall_probability = 0;
    uint64_t seed = 0;       // of inputs, routes and stalls
    uint64_t stall_seed = 0; // added to it for routes and stalls: other timing, the same inputs
    bool record = false;     // keep the run's messages as a graph (recorded())
    std::vector<compute::injected_descriptor> injected; // ascending (die, position)
    std::vector<chm_failure> failures;                  // links and dies that fail
    link_binder bind;                                   // empty: links are bound directly
};

struct die_statistics {
    uint64_t compute_busy_cycles = 0;
    uint64_t communication_busy_cycles = 0;
    uint64_t exposed_communication_cycles = 0;
    uint64_t peak_memory_bytes = 0; // layout bytes of live buffers and reserved staging
    uint64_t staging_peak_bytes = 0;
    uint64_t ring_full_cycles = 0; // the host waited for space in the ring
    uint64_t control_flits = 0;    // ready credits and other packets without payload
    fusion::held_statistics held;
};

// Of a whole run. Sums are over dies unless said otherwise; bytes are payload unless said.
struct machine_statistics {
    uint64_t cycles = 0;  // the cycle after the last arrival or end of an operation
    uint64_t time_ps = 0; // when that cycle is due
    uint64_t exposed_communication_cycles = 0; // largest of a die (activity_meter.h)
    uint64_t compute_busy_cycles = 0;          // largest of a die
    uint64_t communication_busy_cycles = 0;    // largest of a die
    uint64_t bytes_asked = 0;                  // of the collectives as written (chm_request_volume)
    uint64_t bytes_moved = 0;                  // injected
    uint64_t metadata_bytes = 0;
    uint64_t byte_hops = 0; // payload and metadata bytes times links between routers
    uint64_t packet_hops = 0;
    uint64_t peak_memory_bytes = 0; // largest of a die
    uint64_t fused = 0;             // descriptors that any die issued in runs of two or more
    uint64_t eliminated = 0;        // intermediate results never formed, per run once
    uint64_t runs = 0;              // distinct runs decided
    uint64_t observers = 0;         // descriptors queued on dies that take no part
    uint64_t malformed_descriptors = 0;
    uint64_t kernel_activations = 0; // of the fabric's modules
    fabric::link_fault_statistics links;
    uint64_t returned_packets = 0; // cut off by a failure and sent again by their source
    std::vector<die_statistics> dies;
};

enum class data_result { off, equal, different };

// A platform's dies on its fabric, executing a workload.
class machine : public fabric::watched_work, private fusion::engine_observer {
public:
    // topology (checked), parameters (checked) and workload must outlive the machine. What is wrong
    // with them is in failure() afterwards.
    machine(const chm_topology& topology, const chm_parameters& parameters,
            const chm_workload& workload, const machine_options& options);
    ~machine() override;
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    const kernel::run_result& failure() const { return m_failure; }

    // Runs until all work is done, or until `until_ps` and what is due at it. chm_deadlock if work
    // is stuck, chm_mismatch if dies decide differently, chm_overflow if a routed slot overflows;
    // the text says where. Different data is no failure: see data().
    kernel::run_result run(uint64_t until_ps = UINT64_MAX);

    bool finished() const override;
    bool timed_work_pending() const override;
    void describe_unfinished(std::string& text) const override;

    machine_statistics statistics() const;
    uint64_t now_ps();

    // Writes what the machine does from now on (hw/trace), until stopped, freed, or the program
    // ends. Changes nothing in the run, whose modules outside the selection are not looked at. Not
    // while it runs, nor while a trace is on. Errors as tracer::start.
    chm_status start_trace(const trace::trace_request& request, chm_diagnostics* diagnostics);
    // False if something could not be written. Without a trace it does nothing.
    bool stop_trace(std::string* unwritten = nullptr);
    bool tracing() const { return m_tracer != nullptr; }
    // Of the trace stopped last: what was told too late to be where it belongs. 0, or a fault.
    uint64_t trace_late() const { return m_trace_late; }

    data_result data() const;
    const std::string& first_difference() const { return m_difference; } // "" if none
    uint64_t blocks_compared() const { return m_compared; }
    // A digest of every element delivered anywhere: equal bits, equal digest, in whatever order.
    uint64_t content_digest() const { return m_digest; }

    // The messages of the run that has ended, with what each waited for (run_recorder.h): a graph
    // that lives as long as the machine. Null if none was recorded.
    const chm_graph* recorded() { return m_recorder == nullptr ? nullptr : m_recorder->finish(); }

    // Of a node of that graph: the cycle at which it arrived or ended.
    uint64_t recorded_end(uint32_t node) const { return m_recorder->end(node); }

    // One line per malformed descriptor.
    const std::string& descriptor_errors() const { return m_descriptor_errors; }
    const fusion::decision_log& decisions() const { return *m_decisions; }
    const fusion::recipe_book& recipes() const { return *m_recipes; }
    const die& at(uint32_t id) const { return *m_dies[id]; }
    fabric::fabric& network() { return *m_network; }

private:
    void check_failed_dies();
    void describe_need(const chm_failure& failed, std::string& text) const;
    void observe(trace::tracer* tracer);
    void check();
    void build();
    void value_delivered(uint32_t die, uint32_t value, const chm_layout& layout,
                         const memory::data_block* block, uint64_t now) override;
    void malformed_descriptor(uint32_t die, uint32_t entry, const std::string& text) override;
    void fault(chm_status status, const std::string& text) override;
    uint64_t payload_bytes_injected(uint32_t die) override;

    const chm_topology& m_topology;
    const chm_parameters& m_parameters;
    const chm_workload& m_workload;
    const machine_options m_options;
    chm_truth* m_truth = nullptr;
    std::unique_ptr<memory::use_table> m_uses;
    std::unique_ptr<fusion::recipe_book> m_recipes;
    std::unique_ptr<fusion::decision_log> m_decisions;
    std::unique_ptr<dma::run_recorder> m_recorder;
    die_context m_shared;
    kernel::run_result m_failure;
    std::string m_difference, m_descriptor_errors;
    uint64_t m_compared = 0, m_malformed = 0, m_digest = 0, m_trace_late = 0;
    fabric::fabric* m_network = nullptr;
    std::vector<die*> m_dies;
    std::unique_ptr<trace::tracer> m_tracer;
    kernel::context m_kernel; // owns fabric and dies: destroyed first
};

} // namespace chimera::die
