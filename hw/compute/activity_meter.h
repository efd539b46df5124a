// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace chimera::compute {

// What a die does over time. Communication is in progress on a die from the moment a run's first
// transfer may leave it or its first packet arrives, until the run has delivered there and sent
// all it had to send. It is *exposed* in the cycles in which the die's array computes nothing.
class activity_meter {
public:
    void compute_begins(uint64_t now) {
        advance(now);
        ++m_computing;
    }
    void compute_ends(uint64_t now) {
        advance(now);
        --m_computing;
    }
    void communication_begins(uint64_t now) {
        advance(now);
        ++m_communicating;
    }
    void communication_ends(uint64_t now) {
        advance(now);
        --m_communicating;
    }

    uint64_t compute_busy_cycles() const { return m_compute; }
    uint64_t communication_busy_cycles() const { return m_communication; }
    uint64_t exposed_communication_cycles() const { return m_exposed; }

private:
    void advance(uint64_t now) {
        const uint64_t passed = now - m_last;
        m_last = now;
        m_compute += m_computing != 0 ? passed : 0;
        m_communication += m_communicating != 0 ? passed : 0;
        m_exposed += m_communicating != 0 && m_computing == 0 ? passed : 0;
    }

    uint64_t m_last = 0, m_compute = 0, m_communication = 0, m_exposed = 0;
    uint32_t m_computing = 0, m_communicating = 0;
};

} // namespace chimera::compute
