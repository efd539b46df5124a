// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/switch_allocator.h"

#include <algorithm>

namespace chimera::fabric {

switch_allocator::switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs,
                                   state_block& measured)
    : m_inputs(inputs), m_outputs(outputs), m_vcs(vcs), m_words(size_t(inputs) * vcs <= 64),
      m_own(~uint64_t(0) >> (m_words ? 64 - vcs : 0)) {
    if (!m_words) {
        m_islip = std::make_unique<islip>(inputs, outputs);
        m_requests.resize(size_t(inputs) * vcs);
        m_asker.assign(size_t(inputs) * outputs, none);
    }
    place(measured);
}

switch_allocator::switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs)
    : switch_allocator(inputs, outputs, vcs, m_block) {
    m_block = state_block(m_block.used());
    place(m_block);
}

void switch_allocator::place(state_block& block) {
    m_turn = block.take<uint16_t>(m_inputs);
    if (m_words) {
        m_grant_turn = block.take<uint16_t>(m_outputs);
        m_accept_turn = block.take<uint16_t>(m_inputs);
        m_input_of = block.take<uint16_t>(size_t(m_inputs) * m_vcs);
        m_asked = block.take<asked>(m_outputs);
    }
    m_grants = block.take<grant>(m_inputs);
    for (uint32_t input = 0; m_words && block.memory() != nullptr && input < m_inputs; ++input) {
        std::fill_n(m_input_of + input * m_vcs, m_vcs, static_cast<uint16_t>(input));
    }
}

namespace {

// Whether `a` comes before `b` in a round that starts at `turn`.
bool nearer(uint32_t a, uint32_t b, uint32_t turn) {
    const bool passed = a < turn, other_passed = b < turn;
    return passed == other_passed ? a < b : other_passed;
}

} // namespace

// What islip does, of several outputs. Inputs in the order in which they are granted first.
switch_allocator::grants switch_allocator::allocate_words() {
    size_t count = 0;
    for (uint32_t i = 0; i < m_count; ++i) {
        const uint32_t input = first_input(m_asked[i]), output = m_asked[i].output;
        grant* const end = m_grants + count;
        grant* const other =
            std::find_if(m_grants, end, [input](const grant& item) { return item.input == input; });
        if (other == end) {
            *end = {input, i, output}; // which request, not yet the channel
            ++count;
        } else if (nearer(output, other->output, m_accept_turn[input])) {
            *other = {input, i, output};
        }
    }
    for (size_t i = 0; i < count; ++i) {
        m_grants[i] = choose(m_asked[m_grants[i].vc], m_grants[i].input);
        note(m_grants[i]);
    }
    m_count = 0;
    return {m_grants, count};
}

switch_allocator::grants switch_allocator::allocate_lists() {
    for (size_t i = 0; i < m_count; ++i) {
        const grant& item = m_requests[i];
        uint32_t& asker = m_asker[item.input * m_outputs + item.output];
        if (asker == none) {
            asker = item.vc;
            m_islip->request(item.input, item.output);
            continue;
        }
        asker = nearer(item.vc, asker, m_turn[item.input]) ? item.vc : asker;
    }
    size_t count = 0;
    for (const islip::match& match : m_islip->allocate()) {
        const uint32_t vc = m_asker[match.input * m_outputs + match.output];
        m_turn[match.input] = static_cast<uint16_t>(vc + 1 == m_vcs ? 0 : vc + 1);
        m_grants[count++] = {match.input, vc, match.output};
    }
    for (size_t i = 0; i < m_count; ++i) {
        const grant& item = m_requests[i];
        m_asker[item.input * m_outputs + item.output] = none;
    }
    m_count = 0;
    return {m_grants, count};
}

} // namespace chimera::fabric
