// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hw/fabric/replay.h"
#include "hw/kernel/context.h"

namespace chimera::test {

// A replay that can be stepped and looked into afterwards.
class fabric_run {
public:
    fabric_run(const chm_topology& topology, const fabric::fabric_params& params,
               const chm_graph& graph) {
        kernel::context::entry inside(m_context);
        m_built = m_context.build([&] {
            m_network =
                &m_context.own(std::make_unique<fabric::fabric>("fabric", topology, params));
            m_replay =
                &m_context.own(std::make_unique<fabric::replay>("replay", *m_network, graph));
        });
    }

    kernel::run_result run(uint64_t until_ps = UINT64_MAX) {
        if (m_built.status != chm_ok) {
            return m_built;
        }
        kernel::context::entry inside(m_context);
        return fabric::run_watched(m_context, *m_network, *m_replay, until_ps);
    }

    fabric::fabric& network() { return *m_network; }
    fabric::replay& player() { return *m_replay; }
    bool finished() const { return m_replay->finished(); }

private:
    kernel::context m_context;
    kernel::run_result m_built;
    fabric::fabric* m_network = nullptr;
    fabric::replay* m_replay = nullptr;
};

} // namespace chimera::test
