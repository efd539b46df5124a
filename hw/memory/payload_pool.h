// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <tlm>

namespace chimera::memory {

// Memory manager of an initiator: hands out generic payloads whose reference count is 1 and takes
// them back when the last reference is released. Must outlive the transactions it has handed out.
class payload_pool : public tlm::tlm_mm_interface {
public:
    // A payload with all fields as the base protocol wants them at the start of a transaction.
    tlm::tlm_generic_payload* take(tlm::tlm_command command, uint64_t address, unsigned char* data,
                                   unsigned int bytes);

    void free(tlm::tlm_generic_payload* payload) override;

    size_t outstanding() const { return m_all.size() - m_free.size(); }

private:
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> m_all;
    std::vector<tlm::tlm_generic_payload*> m_free;
};

// One access through an initiator socket to a target that completes early, as memory and the
// engine's registers do. `delay` is when it starts, relative to now, and becomes when it is done.
// False if the target answered with an error or not at once.
template<typename Socket>
bool access(Socket& socket, payload_pool& pool, tlm::tlm_command command, uint64_t address,
            unsigned char* data, unsigned int bytes, sc_core::sc_time& delay) {
    tlm::tlm_generic_payload* payload = pool.take(command, address, data, bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*payload, phase, delay);
    const bool done = answer == tlm::TLM_COMPLETED && payload->is_response_ok();
    payload->release();
    return done;
}

} // namespace chimera::memory
