// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/fabric/islip.h"

namespace chimera::fabric {

// Decides which input ports send to which output ports. Among the channels of one input that want
// the same output, the next in that input's own round asks.
class switch_allocator {
public:
    struct grant {
        uint32_t input, vc, output;
    };

    switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs);

    // Channel `vc` of `input` wants `output`, to which it may send now.
    void request(uint32_t input, uint32_t vc, uint32_t output) {
        m_requests[m_count++] = {input, vc, output};
        m_several_outputs |= m_requests[0].output != output;
    }
    bool requested() const { return m_count > 0; }

    // The grants of this round, valid until the next call; starts a new round.
    const std::vector<grant>& allocate();

    // As if `vc` of `input` had been granted `output` in rounds of its own.
    void note(const grant& item) {
        m_turn[item.input] = item.vc + 1 == m_vcs ? 0 : item.vc + 1;
        m_islip.note({item.input, item.output});
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    grant first_in_turn() const;

    uint32_t m_outputs, m_vcs;
    islip m_islip;
    std::vector<uint32_t> m_turn;  // [inputs] channel whose turn it is
    std::vector<uint32_t> m_asker; // [inputs * outputs] channel that asks, none
    std::vector<grant> m_requests; // [inputs * vcs], of which
    size_t m_count = 0;            // so many stand
    bool m_several_outputs = false;
    std::vector<grant> m_grants;
};

} // namespace chimera::fabric
