// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace chimera::test {

// A passive checker of the TLM-2.0 base protocol that drops onto any link: bind the initiator to
// `in` and `out` to the target. It passes everything on and keeps a line for each breach of the
// rules of IEEE 1666-2011 (chapters 14 and 15) that the two sides can commit with early completion.
class base_protocol_checker : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<base_protocol_checker> in;
    tlm_utils::simple_initiator_socket<base_protocol_checker> out;

    explicit base_protocol_checker(const sc_core::sc_module_name& name)
        : sc_module(name), in("in"), out("out") {
        in.register_nb_transport_fw(this, &base_protocol_checker::forward);
        in.register_b_transport(this, &base_protocol_checker::blocking);
        out.register_nb_transport_bw(this, &base_protocol_checker::backward);
    }

    const std::vector<std::string>& breaches() const { return m_breaches; }
    uint64_t transactions() const { return m_transactions; }

private:
    struct sent {
        tlm::tlm_command command;
        uint64_t address;
        unsigned char* data;
        unsigned int bytes, width;
    };

    void expect(bool held, const char* rule) {
        if (!held) {
            m_breaches.push_back(std::string(name()) + ": " + rule);
        }
    }

    sent before(const tlm::tlm_generic_payload& payload, bool non_blocking) {
        ++m_transactions;
        expect(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
               "the response status is TLM_INCOMPLETE_RESPONSE at the start");
        expect(!payload.is_dmi_allowed(), "the DMI hint is false at the start");
        expect(payload.get_data_ptr() != nullptr && payload.get_data_length() > 0,
               "there is a data array");
        expect(payload.get_streaming_width() > 0, "the streaming width is not 0");
        expect(!non_blocking || payload.has_mm(), "the payload has a memory manager");
        expect(!non_blocking || payload.get_ref_count() > 0, "the payload has been acquired");
        return {payload.get_command(), payload.get_address(), payload.get_data_ptr(),
                payload.get_data_length(), payload.get_streaming_width()};
    }

    void after(const tlm::tlm_generic_payload& payload, const sent& was) {
        expect(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
               "a completed transaction has a response status");
        expect(payload.get_command() == was.command && payload.get_data_ptr() == was.data &&
                   payload.get_data_length() == was.bytes &&
                   payload.get_streaming_width() == was.width,
               "the target leaves command, data pointer, length and streaming width alone");
        expect(payload.get_address() == was.address, "the address is as it was sent");
    }

    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay) {
        expect(phase == tlm::BEGIN_REQ, "only BEGIN_REQ comes from an initiator whose targets "
                                        "complete early");
        const sent was = before(payload, true);
        const sc_core::sc_time earlier = delay;
        const tlm::tlm_sync_enum answer = out->nb_transport_fw(payload, phase, delay);
        expect(delay >= earlier, "the annotated delay does not shrink");
        expect(answer == tlm::TLM_COMPLETED, "the target completes early");
        after(payload, was);
        return answer;
    }

    void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        const sent was = before(payload, false);
        const sc_core::sc_time earlier = delay;
        out->b_transport(payload, delay);
        expect(delay >= earlier, "the annotated delay does not shrink");
        after(payload, was);
    }

    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay) {
        expect(false, "nothing comes back after an early completion");
        return in->nb_transport_bw(payload, phase, delay);
    }

    std::vector<std::string> m_breaches;
    uint64_t m_transactions = 0;
};

} // namespace chimera::test
