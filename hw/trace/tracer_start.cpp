// SPDX-License-Identifier: Apache-2.0
// What a trace is made of: checks, then opens the files.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "hw/trace/packet_log.h"
#include "hw/trace/timeline.h"
#include "hw/trace/tracer.h"
#include "hw/trace/vcd.h"
#include "hw/trace/vcd_layout.h"

namespace chimera::trace {

std::vector<std::string> trace_request::files() const {
    std::vector<std::string> all;
    if (!vcd.empty()) {
        all = layout_files(vcd);
        all.push_back(vcd);
    }
    for (const std::string* path : {&timeline, &packet_log}) {
        if (!path->empty()) {
            all.push_back(*path);
        }
    }
    return all;
}

chm_status tracer::start(std::unique_ptr<tracer>& made, const machine_shape& shape,
                         const trace_request& request, std::function<uint64_t()> now,
                         chm_diagnostics* diagnostics) {
    std::unique_ptr<tracer> fresh(new tracer(shape, std::move(now)));
    chm_status status = fresh->select(request, diagnostics);
    if (status == chm_ok) {
        status = fresh->open(request, diagnostics);
    }
    if (status == chm_ok) {
        made = std::move(fresh);
    } else {
        fresh->withdraw();
    }
    return status;
}

// What could be opened goes again, except what is no file: a device, a link.
void tracer::withdraw() {
    namespace fs = std::filesystem;
    m_finished = true;
    m_sinks.clear();
    for (const std::string& path : m_opened) {
        std::error_code unknown;
        if (fs::is_regular_file(fs::symlink_status(path, unknown))) {
            std::remove(path.c_str());
        }
    }
}

namespace {

// The file that a path leads to, by one name however it is spelled.
std::string place_of(const std::string& path) {
    std::error_code unknown;
    const std::filesystem::path place = std::filesystem::weakly_canonical(path, unknown);
    return unknown ? path : place.string();
}

} // namespace

chm_status tracer::select(const trace_request& request, chm_diagnostics* diagnostics) {
    m_wanted.scopes = request.scopes;
    chm_status status = chm_ok;
    std::set<std::string> paths;
    for (const std::string& path : request.files()) {
        if (!paths.insert(place_of(path)).second) {
            chm_diagnose(diagnostics, nullptr,
                         "trace file '%s': another one of the trace goes there", path.c_str());
            status = chm_bad_argument;
        }
    }
    for (const std::string& scope : request.scopes) {
        if (!m_map.knows(scope)) {
            chm_diagnose(diagnostics, nullptr,
                         "trace scope '%s': it is not there; allowed: a die or a router as the "
                         "platform names them, or a part of one, such as %s",
                         scope.c_str(), m_map.scopes().front().c_str());
            status = chm_bad_argument;
        }
    }
    if (!request.window.empty() &&
        !parse_window(request.window, m_map.shape().clock_khz, m_wanted)) {
        chm_diagnose(diagnostics, nullptr,
                     "trace window '%s': allowed: A:B, times in picoseconds or, with the suffix c, "
                     "in cycles, A not after B; either may be left out",
                     request.window.c_str());
        status = chm_bad_argument;
    }
    return status;
}

template<typename File>
chm_status tracer::open_file(std::unique_ptr<File> file, const std::string& path,
                             const std::vector<std::string>& writes, chm_diagnostics* diagnostics) {
    m_opened.insert(m_opened.end(), writes.begin(), writes.end());
    if (!file->open(path)) {
        chm_diagnose(diagnostics, nullptr, "%s: %s", path.c_str(), std::strerror(errno));
        return chm_io;
    }
    m_sinks.push_back(std::move(file));
    m_paths.push_back(path);
    return chm_ok;
}

chm_status tracer::open(const trace_request& request, chm_diagnostics* diagnostics) {
    const std::string& dump = request.vcd;
    chm_status status = chm_ok;
    if (!dump.empty()) {
        status =
            open_file(std::make_unique<vcd>(m_map, m_wanted, m_now()), dump, {dump}, diagnostics);
    }
    if (status == chm_ok && !dump.empty()) {
        status = open_file(std::make_unique<vcd_layout>(m_map, m_wanted, m_now()), dump,
                           layout_files(dump), diagnostics);
    }
    if (status == chm_ok && !request.timeline.empty()) {
        status = open_file(std::make_unique<timeline>(m_map, m_wanted), request.timeline,
                           {request.timeline}, diagnostics);
    }
    if (status == chm_ok && !request.packet_log.empty()) {
        status = open_file(std::make_unique<packet_log>(m_map, m_wanted), request.packet_log,
                           {request.packet_log}, diagnostics);
    }
    return status;
}

} // namespace chimera::trace
