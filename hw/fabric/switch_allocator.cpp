// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/switch_allocator.h"

namespace chimera::fabric {

switch_allocator::switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs)
    : m_outputs(outputs), m_vcs(vcs), m_islip(inputs, outputs), m_turn(inputs, 0),
      m_asker(static_cast<size_t>(inputs) * outputs, none) {
    m_asked.reserve(static_cast<size_t>(inputs) * vcs);
    m_grants.reserve(inputs < outputs ? inputs : outputs);
}

void switch_allocator::request(uint32_t input, uint32_t vc, uint32_t output) {
    uint32_t pair = input * m_outputs + output;
    uint32_t& asker = m_asker[pair];
    if (asker == none) {
        asker = vc;
        m_asked.push_back(pair);
        m_islip.request(input, output);
        return;
    }
    uint32_t turn = m_turn[input];
    if ((vc + m_vcs - turn) % m_vcs < (asker + m_vcs - turn) % m_vcs) {
        asker = vc;
    }
}

const std::vector<switch_allocator::grant>& switch_allocator::allocate() {
    m_grants.clear();
    for (const islip::match& match : m_islip.allocate()) {
        uint32_t vc = m_asker[match.input * m_outputs + match.output];
        m_turn[match.input] = (vc + 1) % m_vcs;
        m_grants.push_back({match.input, vc, match.output});
    }
    for (uint32_t pair : m_asked) {
        m_asker[pair] = none;
    }
    m_asked.clear();
    return m_grants;
}

} // namespace chimera::fabric
