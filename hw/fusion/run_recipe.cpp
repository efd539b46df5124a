// SPDX-License-Identifier: Apache-2.0
#include "hw/fusion/run_recipe.h"

#include <algorithm>

#include "hw/golden/plan/estimate.h"

namespace chimera::fusion {

namespace {

// The collective alone, from the layout it names to the layout it names.
chm_request request_as_written(const chm_tables& tables, const chm_descriptor& descriptor,
                               const chm_layout** demand) {
    const chm_value& in = tables.values[descriptor.value_in];
    const chm_value& out = tables.values[descriptor.value_out];
    *demand = &tables.layouts[descriptor.layout_out];
    chm_request request = {};
    request.tensor = tables.tensors[in.tensor];
    request.from = &tables.layouts[descriptor.layout_in];
    request.demands = demand;
    request.demand_count = 1;
    const bool routed =
        chm_layout_is_routed(request.from) || chm_layout_is_routed(request.demands[0]);
    const uint32_t routing = out.routing != CHM_NONE ? out.routing : in.routing;
    request.routing = routed && routing != CHM_NONE ? &tables.routings[routing] : nullptr;
    return request;
}

} // namespace

const dma::die_program& run_recipe::program(uint32_t die) {
    if (m_programs[die] == nullptr) {
        m_programs[die] = std::make_unique<dma::die_program>(m_plan, die, *m_parameters);
    }
    return *m_programs[die];
}

bool run_recipe::takes_part(uint32_t die) {
    return concerns(die) || program(die).takes_part();
}

recipe_book::recipe_book(const chm_topology& topology, const chm_parameters& parameters,
                         const chm_workload& workload)
    : m_topology(topology), m_parameters(parameters), m_workload(workload),
      m_costs(chm_costs_from(&parameters)) {}

run_recipe* recipe_book::find(const chm_run& run, std::string& fault) {
    std::vector<uint32_t> members(run.count);
    for (uint32_t i = 0; i < run.count; ++i) {
        members[i] = run.members[i].seq;
    }
    const auto found = m_recipes.find(members);
    if (found != m_recipes.end()) {
        return found->second.get();
    }
    auto recipe = std::make_unique<run_recipe>();
    recipe->m_members = members;
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status = make(run, *recipe, diagnostics);
    if (status != chm_ok) {
        fault = "run of operation " + std::to_string(members.front()) + " .. " +
                std::to_string(members.back()) + " has no plan (" + chm_status_string(status) +
                "): " + chm_diagnostics_text(&diagnostics);
    }
    chm_diagnostics_free(&diagnostics);
    if (status != chm_ok) {
        return nullptr;
    }
    return (m_recipes[members] = std::move(recipe)).get();
}

chm_status recipe_book::make(const chm_run& run, run_recipe& recipe, chm_diagnostics& diagnostics) {
    const chm_status status =
        chm_compose(&m_workload.tables, &run, &recipe.m_arena, &recipe.m_composition, &diagnostics);
    if (status != chm_ok) {
        return status;
    }
    describe_members(run, recipe);
    const chm_plan_options options = chm_plan_options_from(&m_parameters, &m_costs);
    return chm_plan_request(&m_topology, &recipe.m_composition.request, &options, &recipe.m_arena,
                            &recipe.m_plan, nullptr, &diagnostics);
}

void recipe_book::describe_members(const chm_run& run, run_recipe& recipe) {
    recipe.m_parameters = &m_parameters;
    recipe.m_programs.resize(m_topology.dies);
    recipe.m_concerned.assign(m_topology.dies, 0);
    recipe.m_input_value = run.members[0].value_in;
    for (uint32_t i = 0; i < run.count; ++i) {
        const chm_descriptor& member = run.members[i];
        recipe.m_ready_at_start = recipe.m_ready_at_start && member.facts.ready_at_start;
        recipe.m_asked += asked_bytes(member.seq);
        if (member.communicator != CHM_NONE) {
            recipe.m_communicator = member.communicator;
        }
        for (uint32_t layout : {member.layout_in, member.layout_out}) {
            if (layout == CHM_NONE) {
                continue;
            }
            const chm_die_mesh& mesh = m_workload.tables.layouts[layout].mesh;
            for (uint32_t rank = 0; rank < chm_mesh_size(&mesh); ++rank) {
                recipe.m_concerned[mesh.dies[rank]] = 1;
            }
        }
    }
    recipe.m_die_count =
        static_cast<uint32_t>(std::count(recipe.m_concerned.begin(), recipe.m_concerned.end(), 1));
}

uint64_t recipe_book::asked_bytes(uint32_t seq) const {
    if (!m_workload.has_descriptor[seq] ||
        m_workload.descriptors[seq].kind != chm_descriptor_collective) {
        return 0;
    }
    const chm_layout* demand = nullptr;
    const chm_request request =
        request_as_written(m_workload.tables, m_workload.descriptors[seq], &demand);
    return chm_request_volume(&request);
}

} // namespace chimera::fusion
