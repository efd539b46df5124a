// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/islip.h"
#include "hw/fabric/output_unit.h"
#include "hw/fabric/packet.h"

namespace chimera::fabric {

// Gives free output channels to the heads of input channels: iSLIP over all input channels and all
// output channels of a router. A packet asks for every free channel of its class.
class vc_allocator {
public:
    vc_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs)
        : m_vcs(vcs), m_islip(inputs * vcs, outputs * vcs) {}

    // The head of input channel `channel` (port * vcs + vc) asks. True if any channel was free.
    bool request(uint32_t channel, const packet& head, const output_unit& output) {
        bool asked = false;
        for (uint32_t vc = head.first_vc; vc < head.vc_limit; ++vc) {
            if (output.holder(vc) == output_unit::none) {
                m_islip.request(channel, head.output * m_vcs + vc);
                asked = true;
            }
        }
        return asked;
    }

    // Matches {input channel, output port * vcs + vc}; starts a new round.
    const std::vector<islip::match>& allocate() { return m_islip.allocate(); }

private:
    uint32_t m_vcs;
    islip m_islip;
};

} // namespace chimera::fabric
