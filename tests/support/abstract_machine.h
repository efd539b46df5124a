// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/golden/fusion/window.h"
#include "hw/golden/fusion/workload.h"

namespace chimera::test {

// A machine without time or bytes, to see whether decisions agree and everything completes: a host
// per die that queues its stream and blocks at waits, the window of a die, an engine that carries
// out its runs strictly in issue order (each waits for its operands, for the buffers it writes and
// for all dies that take part), and compute operations that run when their operands are there. The
// order in which dies make progress depends on `seed`: the outcome must not.
class abstract_machine {
public:
    enum class compute_order { in_order, as_ready };

    abstract_machine(const chm_workload& workload, uint64_t seed, compute_order computes);
    ~abstract_machine();
    abstract_machine(const abstract_machine&) = delete;
    abstract_machine& operator=(const abstract_machine&) = delete;

    // "" if every operation completed and every die decided alike, else what went wrong.
    std::string run();

    uint32_t fused_runs() const { return m_fused; } // runs of two or more members

private:
    struct issued_run {
        std::vector<uint32_t> members;
        uint32_t key;
        bool operator==(const issued_run& other) const {
            return members == other.members && key == other.key;
        }
    };
    struct die_state {
        chm_window* window = nullptr;
        uint32_t at = 0; // stream entry
        bool drained = false;
        std::vector<issued_run> runs;
        size_t head = 0;
    };

    bool step_host(uint32_t die);
    bool step_engine(uint32_t die);
    bool step_computes();
    void collect(uint32_t die);
    bool is_compute(uint32_t seq) const; // on a compute queue, no marker
    bool is_behind(uint32_t seq) const;
    bool takes_part(uint32_t seq, uint32_t die) const;
    bool is_ready(uint32_t seq, const std::vector<uint32_t>& run) const;
    std::string compare_decisions() const;
    std::string unfinished() const;

    const chm_workload& m_workload;
    uint64_t m_seed;
    compute_order m_computes;
    std::vector<die_state> m_dies;
    std::vector<std::vector<bool>> m_groups; // [seq][die]
    std::vector<bool> m_done;                // [seq]
    uint32_t m_fused = 0;
};

} // namespace chimera::test
