// SPDX-License-Identifier: Apache-2.0
#include "bench/placed_program.h"

#include <stdexcept>

namespace chimera::bench {

namespace {

void check(chm_status status) {
    if (status != chm_ok) {
        throw std::runtime_error(chm_last_error());
    }
}

} // namespace

std::vector<std::string> transition_platforms() {
    return {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"};
}

std::vector<std::string> transition_programs() {
    return {"tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp", "sp_pp_full", "sp_ep", "sp_ep_sp", "lora"};
}

placed_program::placed_program(const std::string& platform, const std::string& program,
                               const key_values& keys) {
    chm_settings* settings = nullptr;
    check(chm_settings_create(&settings));
    owned<chm_settings> owner(settings);
    for (const auto& [key, value] : keys) {
        check(chm_settings_set(settings, key.c_str(), value.c_str()));
    }
    chm_platform* loaded = nullptr;
    check(chm_platform_load(&loaded, platform.c_str(), settings));
    m_platform.reset(loaded);
    chm_program* placed = nullptr;
    check(chm_program_load(&placed, loaded, program.c_str(), settings, 1));
    m_program.reset(placed);
}

chm_result placed_program::measure(bool engine) const {
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.engine = engine ? 1 : 0;
    chm_simulation* simulation = nullptr;
    check(chm_simulation_create(&simulation, m_platform.get(), m_program.get(), &options));
    owned<chm_simulation> owner(simulation);
    check(chm_simulation_run(simulation));
    chm_result result = CHM_RESULT_INIT;
    check(chm_simulation_result(simulation, &result));
    return result;
}

std::string placed_program::explanation() const {
    chm_report* report = nullptr;
    check(chm_explain_report(&report, chm_format_json, m_platform.get(), m_program.get()));
    owned<chm_report> owner(report);
    return chm_report_text(report);
}

} // namespace chimera::bench
