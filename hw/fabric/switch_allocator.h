// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/fabric/index_sets.h"
#include "hw/fabric/islip.h"
#include "hw/fabric/state_block.h"

namespace chimera::fabric {

// Decides which input ports send to which output ports. Among the channels of one input that want
// the same output, the next in that input's own round asks.
class switch_allocator {
public:
    struct grant {
        uint32_t input, vc, output;
    };
    // The grants of a round.
    class grants {
    public:
        grants(const grant* first, size_t count) : m_first(first), m_count(count) {}
        const grant* begin() const { return m_first; }
        const grant* end() const { return m_first + m_count; }
        size_t size() const { return m_count; }
        const grant& front() const { return *m_first; }

    private:
        const grant* m_first;
        size_t m_count;
    };

    switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs);
    // The same without memory of its own: it works after `place` with a block that has some.
    switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs, state_block& measured);
    void place(state_block& block);

    // Channel `vc` of `input` wants `output`, to which it may send now. Requests for one output
    // come one behind the other.
    void request(uint32_t input, uint32_t vc, uint32_t output) {
        if (m_words) {
            const uint64_t channel = uint64_t(1) << (input * m_vcs + vc);
            if (m_count == 0 || m_asked[m_count - 1].output != output) {
                request_channels(output, channel);
            } else {
                m_asked[m_count - 1].channels |= channel;
            }
            return;
        }
        m_requests[m_count++] = {input, vc, output};
    }
    // The same for several channels, bits input * vcs + vc. Where all channels fit a word; once per
    // output and round.
    void request_channels(uint32_t output, uint64_t channels) {
        m_asked[m_count++] = {channels, output};
    }
    bool requested() const { return m_count > 0; }

    // The grants of this round, valid until the next call; starts a new round. Allocates nothing.
    grants allocate() {
        if (m_words && m_count == 1) { // as most often
            m_count = 0;
            const asked& item = m_asked[0];
            m_grants[0] = choose(item, first_input(item));
            note(m_grants[0]);
            return {m_grants, 1};
        }
        return m_words ? allocate_words() : allocate_lists();
    }

    // As if `vc` of `input` had been granted `output` in rounds of its own.
    void note(const grant& item) {
        m_turn[item.input] = static_cast<uint16_t>(item.vc + 1 == m_vcs ? 0 : item.vc + 1);
        if (m_islip != nullptr) {
            m_islip->note({item.input, item.output});
            return;
        }
        m_grant_turn[item.output] =
            static_cast<uint16_t>(item.input + 1 == m_inputs ? 0 : item.input + 1);
        m_accept_turn[item.input] =
            static_cast<uint16_t>(item.output + 1 == m_outputs ? 0 : item.output + 1);
    }

private:
    static constexpr uint32_t none = UINT32_MAX;
    // Who asks for an output.
    struct asked {
        uint64_t channels;
        uint32_t output;
    };

    // The input that the output grants.
    uint32_t first_input(const asked& item) const {
        return m_input_of[first_from(item.channels, m_grant_turn[item.output] * m_vcs)];
    }
    // For the channel of the input whose turn it is.
    grant choose(const asked& item, uint32_t input) const {
        const uint64_t own = item.channels >> (input * m_vcs) & m_own;
        return {input, first_from(own, m_turn[input]), item.output};
    }
    grants allocate_words();
    grants allocate_lists();

    uint32_t m_inputs, m_outputs, m_vcs;
    bool m_words;       // all channels fit a word
    uint64_t m_own;     // the channels of input 0
    size_t m_count = 0; // of the requests of this round
    uint16_t* m_turn;   // [inputs] channel whose turn it is
    grant* m_grants;    // [inputs]
    // Words; the pointers are those of an islip.
    uint16_t* m_grant_turn;  // [outputs] input that is granted first
    uint16_t* m_accept_turn; // [inputs] output whose grant is accepted first
    uint16_t* m_input_of;    // [inputs * vcs]
    asked* m_asked;          // [outputs] the requests, ascending outputs
    // Lists.
    std::unique_ptr<islip> m_islip;
    std::vector<grant> m_requests; // [inputs * vcs]
    std::vector<uint32_t> m_asker; // [inputs * outputs] channel that asks, none
    state_block m_block;           // where it has memory of its own
};

} // namespace chimera::fabric
