// SPDX-License-Identifier: Apache-2.0
#include "tests/support/driven_program.h"

#include <algorithm>

namespace chimera::test {

namespace {

std::vector<uint32_t> dies_of(const chm_tables& tables, uint32_t layout) {
    const chm_die_mesh& mesh = tables.layouts[layout].mesh;
    return std::vector<uint32_t>(mesh.dies, mesh.dies + chm_mesh_size(&mesh));
}

} // namespace

driven_program::driven_program(const std::string& platform_name, const std::string& text,
                               const chm_program_options& options,
                               const std::vector<chm_setting>& settings) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_arena_init(&m_arena);
    const std::string root = CHM_SOURCE_DIR;
    const std::string platform_path = root + "/platforms/" + platform_name + ".yaml";
    status = chm_platform_read(platform_path.c_str(), settings.data(),
                               static_cast<uint32_t>(settings.size()), &platform, &diagnostics);
    if (status == chm_ok && text.find('\n') != std::string::npos) {
        status = chm_program_read_text("text", text.data(), text.size(), &platform->topology,
                                       &options, &program, &diagnostics);
    } else if (status == chm_ok) {
        const std::string path = root + "/traces/" + text + ".yaml";
        status =
            chm_program_read(path.c_str(), &platform->topology, &options, &program, &diagnostics);
    }
    if (status == chm_ok) {
        status = chm_drive(program, platform->topology.dies, &m_arena, &workload, &diagnostics);
    }
    faults = chm_diagnostics_text(&diagnostics);
    chm_diagnostics_free(&diagnostics);
}

driven_program::~driven_program() {
    chm_arena_free(&m_arena);
    chm_program_free(program);
    chm_platform_free(platform);
}

std::vector<uint32_t> driven_program::queued_on(uint32_t seq) const {
    std::vector<uint32_t> dies;
    for (uint32_t die = 0; die < workload.dies; ++die) {
        const chm_die_stream& stream = workload.streams[die];
        bool found = std::any_of(stream.entries, stream.entries + stream.count, [&](auto& entry) {
            return entry.seq == seq && entry.kind == chm_stream_descriptor;
        });
        if (found) {
            dies.push_back(die);
        }
    }
    return dies;
}

std::vector<uint32_t> driven_program::dies_in(uint32_t seq) const {
    return dies_of(workload.tables, operation(seq).operands[0].layout);
}

std::vector<uint32_t> driven_program::dies_out(uint32_t seq) const {
    return dies_of(workload.tables, workload.tables.values[operation(seq).result].layout);
}

std::string driven_program::stream(uint32_t die) const {
    std::string text;
    for (uint32_t i = 0; i < workload.streams[die].count; ++i) {
        const chm_stream_entry& entry = workload.streams[die].entries[i];
        text += (i == 0 ? "" : " ") + std::to_string(entry.seq) + "DCW"[entry.kind];
    }
    return text;
}

} // namespace chimera::test
