// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "hw/base/clock.h"
#include "hw/golden/parameters.h"

namespace chimera::memory {

// Address map. Ring entries are kept for real; the bulk window only charges time, its contents lie
// beside it in the value_store (reads leave the buffer as it is, writes are dropped).
constexpr uint64_t ring_address = 0;
constexpr uint64_t bulk_address = uint64_t{1} << 32;
constexpr uint64_t bulk_bytes = uint64_t{1} << 40;

// A die's memory: a TLM-2.0 base-protocol target for any number of initiators, who share one
// bandwidth and see one latency. Non-blocking transport completes early (TLM_COMPLETED) with the
// time annotated; requests are served in the order in which they are made. Bandwidth 0 is ideal.
class memory : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<memory> in;

    // `params` must outlive the module. ring_bytes: size of the region at ring_address.
    memory(const sc_core::sc_module_name& name, const chm_memory_params& params, uint64_t clock_khz,
           uint64_t ring_bytes);

    bool ideal() const {
        return m_params.bandwidth_bytes_per_cycle == 0 && m_params.latency_cycles == 0;
    }
    uint64_t transactions() const { return m_transactions; }
    uint64_t bytes() const { return m_bytes; }

private:
    tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void b_transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    bool perform(tlm::tlm_generic_payload& payload);
    void charge(uint64_t bytes, sc_core::sc_time& delay);

    const chm_memory_params& m_params;
    uint64_t m_khz;
    std::vector<unsigned char> m_ring;
    uint64_t m_free_at = 0; // cycle
    uint64_t m_transactions = 0, m_bytes = 0;
};

} // namespace chimera::memory
