// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/islip.h"

namespace chimera::fabric {

namespace {

// Position of `index` in a round that starts at `pointer`.
uint32_t turn(uint32_t index, uint32_t pointer, uint32_t count) {
    return index >= pointer ? index - pointer : index + count - pointer;
}

} // namespace

islip::islip(uint32_t inputs, uint32_t outputs)
    : m_inputs(inputs), m_outputs(outputs), m_grant_pointer(outputs, 0),
      m_accept_pointer(inputs, 0), m_granted(outputs, none), m_accepted(inputs, none) {
    m_asked_outputs.reserve(outputs);
    m_granted_inputs.reserve(inputs);
    m_matches.reserve(inputs < outputs ? inputs : outputs);
}

void islip::request(uint32_t input, uint32_t output) {
    uint32_t& granted = m_granted[output];
    if (granted == none) {
        m_asked_outputs.push_back(output);
        granted = input;
        return;
    }
    uint32_t pointer = m_grant_pointer[output];
    if (turn(input, pointer, m_inputs) < turn(granted, pointer, m_inputs)) {
        granted = input;
    }
}

const std::vector<islip::match>& islip::allocate() {
    for (uint32_t output : m_asked_outputs) {
        uint32_t input = m_granted[output];
        m_granted[output] = none;
        uint32_t& accepted = m_accepted[input];
        uint32_t pointer = m_accept_pointer[input];
        if (accepted == none) {
            m_granted_inputs.push_back(input);
            accepted = output;
        } else if (turn(output, pointer, m_outputs) < turn(accepted, pointer, m_outputs)) {
            accepted = output;
        }
    }
    m_asked_outputs.clear();
    m_matches.clear();
    for (uint32_t input : m_granted_inputs) {
        uint32_t output = m_accepted[input];
        m_accepted[input] = none;
        note({input, output});
        m_matches.push_back({input, output});
    }
    m_granted_inputs.clear();
    return m_matches;
}

} // namespace chimera::fabric
