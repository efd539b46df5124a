// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace chimera::fabric {

// One iteration of iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches",
// 1999): every output grants one of the inputs that ask for it, round robin from its pointer; every
// input accepts one of its grants, round robin from its own. Pointers move past the match, and only
// on acceptance, which is what keeps them from marching in step.
class islip {
public:
    struct match {
        uint32_t input, output;
    };

    islip(uint32_t inputs, uint32_t outputs);

    // At most once per pair and round.
    void request(uint32_t input, uint32_t output);

    // The matches of this round, valid until the next request; starts a new round. Allocates
    // nothing.
    const std::vector<match>& allocate();

    // The input that `output` grants first, the output whose grant `input` accepts first.
    uint32_t grant_pointer(uint32_t output) const { return m_grant_pointer[output]; }
    uint32_t accept_pointer(uint32_t input) const { return m_accept_pointer[input]; }

    // Moves the pointers as a round does in which `item` is the only request.
    void note(const match& item) {
        m_grant_pointer[item.output] = item.input + 1 == m_inputs ? 0 : item.input + 1;
        m_accept_pointer[item.input] = item.output + 1 == m_outputs ? 0 : item.output + 1;
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    uint32_t m_inputs, m_outputs;
    std::vector<uint32_t> m_grant_pointer;  // [outputs]
    std::vector<uint32_t> m_accept_pointer; // [inputs]
    std::vector<uint32_t> m_granted;        // [outputs] input granted, none
    std::vector<uint32_t> m_accepted;       // [inputs] output accepted, none
    std::vector<uint32_t> m_asked_outputs, m_granted_inputs;
    std::vector<match> m_matches;
};

} // namespace chimera::fabric
