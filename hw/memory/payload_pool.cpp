// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/payload_pool.h"

namespace chimera::memory {

tlm::tlm_generic_payload* payload_pool::take(tlm::tlm_command command, uint64_t address,
                                             unsigned char* data, unsigned int bytes) {
    if (m_free.empty()) {
        m_all.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
        m_free.push_back(m_all.back().get());
    }
    tlm::tlm_generic_payload* payload = m_free.back();
    m_free.pop_back();
    payload->acquire();
    payload->set_command(command);
    payload->set_address(address);
    payload->set_data_ptr(data);
    payload->set_data_length(bytes);
    payload->set_streaming_width(bytes);
    payload->set_byte_enable_ptr(nullptr);
    payload->set_dmi_allowed(false);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload;
}

void payload_pool::free(tlm::tlm_generic_payload* payload) {
    payload->reset();
    m_free.push_back(payload);
}

} // namespace chimera::memory
