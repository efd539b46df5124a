// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include "hw/fabric/chunk.h"

// The protocol between modules of the loosely timed fabric: b_transport in its standard sense. A
// router reserves its output for the chunk, adds to the annotated delay and calls on, so that one
// call of a source can reserve the whole way to the destination's interface, which files the chunk;
// nobody waits. A router that keeps an order (lt_router.h) may keep the chunk instead and call on
// later. On every call `delay` is how long after the present the chunk's head reaches the module
// called (at an interface: the whole chunk), and `due` of the head is the same as a cycle; on
// return it is as far as the way has been reserved. Calls are made in a turn (lt_turns.h). There is
// no nonblocking transport and no DMI.

namespace chimera::fabric {

enum class lt_phase { none };

struct lt_types {
    typedef chunk_head tlm_payload_type;
    typedef lt_phase tlm_phase_type;
};

using lt_initiator_socket = tlm::tlm_initiator_socket<32, lt_types>;
using lt_target_socket = tlm::tlm_target_socket<32, lt_types>;

// The two sides of a link with only b_transport to offer: what an input is ...
class lt_forward : public tlm::tlm_fw_transport_if<lt_types> {
public:
    tlm::tlm_sync_enum nb_transport_fw(chunk_head&, lt_phase&, sc_core::sc_time&) override {
        return refuse();
    }
    bool get_direct_mem_ptr(chunk_head&, tlm::tlm_dmi&) override { return false; }
    unsigned int transport_dbg(chunk_head&) override { return 0; }

    static tlm::tlm_sync_enum refuse() {
        SC_REPORT_ERROR("chimera/fabric/lt", "a link of the LT fabric has blocking transport only");
        return tlm::TLM_COMPLETED;
    }
};

// ... and what stands behind an output.
class lt_backward : public tlm::tlm_bw_transport_if<lt_types> {
public:
    tlm::tlm_sync_enum nb_transport_bw(chunk_head&, lt_phase&, sc_core::sc_time&) override {
        return lt_forward::refuse();
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

} // namespace chimera::fabric
