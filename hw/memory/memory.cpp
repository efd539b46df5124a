// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/memory.h"

#include <algorithm>
#include <cstring>

#include "hw/base/checked.h"

namespace chimera::memory {

memory::memory(const sc_core::sc_module_name& name, const chm_memory_params& params,
               uint64_t clock_khz, uint64_t ring_bytes)
    : sc_module(name), in("in"), m_params(params), m_khz(clock_khz), m_ring(ring_bytes, 0) {
    in.register_nb_transport_fw(this, &memory::nb_transport_fw);
    in.register_b_transport(this, &memory::b_transport);
}

tlm::tlm_sync_enum memory::nb_transport_fw(int, tlm::tlm_generic_payload& payload,
                                           tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) { // completed at the request: nothing else may follow
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    access(payload, delay);
    return tlm::TLM_COMPLETED;
}

void memory::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    access(payload, delay);
}

void memory::access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (perform(payload)) {
        charge(payload.get_data_length(), delay);
    }
}

bool memory::perform(tlm::tlm_generic_payload& payload) {
    const uint64_t address = payload.get_address();
    const uint64_t bytes = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return false;
    }
    if (payload.get_streaming_width() < bytes) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return false;
    }
    const bool in_ring = address <= m_ring.size() && bytes <= m_ring.size() - address;
    const bool in_bulk = address >= bulk_address && bytes <= bulk_bytes &&
                         address - bulk_address <= bulk_bytes - bytes;
    if (!in_ring && !in_bulk) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    if (in_ring && payload.is_write()) {
        std::memcpy(m_ring.data() + address, payload.get_data_ptr(), bytes);
    } else if (in_ring && payload.is_read()) {
        std::memcpy(payload.get_data_ptr(), m_ring.data() + address, bytes);
    }
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

void memory::charge(uint64_t bytes, sc_core::sc_time& delay) {
    ++m_transactions;
    m_bytes += bytes;
    if (ideal()) {
        return;
    }
    // The request is there at the first cycle that is due no earlier than its annotated time.
    const uint64_t asked_ps = (sc_core::sc_time_stamp() + delay).value();
    uint64_t asked = chm_clock_ps_to_cycles(asked_ps, m_khz);
    asked += chm_clock_cycles_to_ps(asked, m_khz) < asked_ps;
    uint64_t done = asked;
    if (m_params.bandwidth_bytes_per_cycle != 0) {
        const uint64_t start = std::max(asked, m_free_at);
        m_free_at = start + chm_ceil_div_u64(bytes, m_params.bandwidth_bytes_per_cycle);
        done = m_free_at;
    }
    const uint64_t due_ps = chm_clock_cycles_to_ps(done + m_params.latency_cycles, m_khz);
    delay = sc_core::sc_time::from_value(due_ps) - sc_core::sc_time_stamp();
}

} // namespace chimera::memory
