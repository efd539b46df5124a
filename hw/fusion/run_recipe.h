// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/base/arena.h"
#include "hw/dma/die_program.h"
#include "hw/golden/fusion/fusion.h"
#include "hw/golden/fusion/workload.h"
#include "hw/golden/parameters.h"

namespace chimera::fusion {

// What a decided run does: the composition of its members and the plan for it, and each die's part.
// A pure function of the members, so all dies share it.
class run_recipe {
public:
    run_recipe() { chm_arena_init(&m_arena); }
    ~run_recipe() { chm_arena_free(&m_arena); }
    run_recipe(const run_recipe&) = delete;
    run_recipe& operator=(const run_recipe&) = delete;

    const std::vector<uint32_t>& members() const { return m_members; } // seqs, ascending
    uint32_t seq() const { return m_members.back(); }                  // names the run
    const chm_composition& composition() const { return m_composition; }
    const chm_plan& plan() const { return m_plan; }
    uint32_t input_value() const { return m_input_value; }
    uint32_t communicator() const { return m_communicator; } // of the last collective
    bool ready_at_start() const { return m_ready_at_start; } // all members: no credits needed
    uint64_t asked_bytes() const { return m_asked; }   // of its collectives as written, all dies
    uint32_t die_count() const { return m_die_count; } // dies of its members' layouts

    // The part of a die, prepared at the first call.
    const dma::die_program& program(uint32_t die);

    // True if the die is in a layout of a member: it must decide like the others.
    bool concerns(uint32_t die) const { return m_concerned[die] != 0; }
    // True if the die has something to do or to hold.
    bool takes_part(uint32_t die);

private:
    friend class recipe_book;

    chm_arena m_arena;
    std::vector<uint32_t> m_members;
    chm_composition m_composition = {};
    chm_plan m_plan = {};
    uint32_t m_input_value = 0, m_communicator = 0, m_die_count = 0;
    bool m_ready_at_start = true;
    uint64_t m_asked = 0;
    std::vector<uint8_t> m_concerned; // [die]
    std::vector<std::unique_ptr<dma::die_program>> m_programs;
    const chm_parameters* m_parameters = nullptr;
};

// The recipes of one machine, each worked out once.
class recipe_book {
public:
    // All must outlive the book.
    recipe_book(const chm_topology& topology, const chm_parameters& parameters,
                const chm_workload& workload);

    // The recipe of a decided run; null with a message where it cannot be planned.
    run_recipe* find(const chm_run& run, std::string& fault);

    // Payload bytes that a collective as written asks for, all dies; 0 for other operations.
    uint64_t asked_bytes(uint32_t seq) const;

private:
    chm_status make(const chm_run& run, run_recipe& recipe, chm_diagnostics& diagnostics);
    void describe_members(const chm_run& run, run_recipe& recipe);

    const chm_topology& m_topology;
    const chm_parameters& m_parameters;
    const chm_workload& m_workload;
    chm_costs m_costs;
    std::map<std::vector<uint32_t>, std::unique_ptr<run_recipe>> m_recipes;
};

} // namespace chimera::fusion
