// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/memory.h"

#include <gtest/gtest.h>

#include "hw/kernel/agenda.h"
#include "hw/kernel/context.h"
#include "hw/memory/payload_pool.h"
#include "tests/support/base_protocol_checker.h"

using chimera::kernel::context;
using chimera::memory::payload_pool;
using chimera::test::base_protocol_checker;

namespace {

// Two initiators, each behind a protocol checker, on one memory.
class bench : public sc_core::sc_module {
public:
    bench(const sc_core::sc_module_name& name, const chm_memory_params& params, uint64_t khz)
        : sc_module(name), first("first"), second("second"), first_checker("first_checker"),
          second_checker("second_checker"), memory("memory", params, khz, 1024), clock_khz(khz) {
        first.bind(first_checker.in);
        second.bind(second_checker.in);
        first_checker.out.bind(memory.in);
        second_checker.out.bind(memory.in);
    }

    // The cycle at which an access made now, that starts at `from`, is done; the status in
    // `status`.
    uint64_t access(tlm_utils::simple_initiator_socket<bench>& socket, tlm::tlm_command command,
                    uint64_t address, unsigned char* data, unsigned int bytes, uint64_t from) {
        tlm::tlm_generic_payload* payload = pool.take(command, address, data, bytes);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay =
            sc_core::sc_time::from_value(chm_clock_cycles_to_ps(from, clock_khz));
        EXPECT_EQ(socket->nb_transport_fw(*payload, phase, delay), tlm::TLM_COMPLETED);
        status = payload->get_response_status();
        payload->release();
        return chimera::kernel::cycle_after(delay, clock_khz);
    }

    tlm_utils::simple_initiator_socket<bench> first, second;
    base_protocol_checker first_checker, second_checker;
    chimera::memory::memory memory;
    payload_pool pool;
    uint64_t clock_khz;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
};

template<typename Body> void with_bench(const chm_memory_params& params, uint64_t khz, Body body) {
    context kernel;
    context::entry inside(kernel);
    bench* made = nullptr;
    const auto result =
        kernel.build([&] { made = &kernel.own(std::make_unique<bench>("bench", params, khz)); });
    ASSERT_EQ(result.status, chm_ok) << result.text;
    ASSERT_EQ(kernel.run(0).status, chm_ok); // elaborates
    body(*made);
    EXPECT_TRUE(made->first_checker.breaches().empty()) << made->first_checker.breaches().front();
    EXPECT_TRUE(made->second_checker.breaches().empty());
    EXPECT_EQ(made->pool.outstanding(), 0u); // every payload came back
}

TEST(memory, ideal_memory_takes_no_time_and_keeps_bytes) {
    with_bench({0, 0}, 1000000, [](bench& b) {
        unsigned char written[64], read[64] = {};
        for (int i = 0; i < 64; ++i) {
            written[i] = static_cast<unsigned char>(3 * i + 1);
        }
        EXPECT_EQ(b.access(b.first, tlm::TLM_WRITE_COMMAND, 960, written, 64, 7), 7u);
        EXPECT_EQ(b.access(b.second, tlm::TLM_READ_COMMAND, 960, read, 64, 9), 9u);
        EXPECT_EQ(std::memcmp(written, read, 64), 0);
        EXPECT_EQ(b.memory.transactions(), 2u);
        EXPECT_EQ(b.memory.bytes(), 128u);
    });
}

// 32 B/cycle and 10 cycles: 64 bytes take 2 cycles of the bandwidth. Asked for at 0 they are there
// at 12; a second requester who asks at 1 waits until 2 and has 96 bytes at 2 + 3 + 10 = 15; after
// a pause the memory is free again: at 100, 1 byte takes 1 cycle, 111.
TEST(memory, bandwidth_is_shared_and_latency_overlaps) {
    for (uint64_t khz : {1000000, 1700000}) {
        with_bench({32, 10}, khz, [](bench& b) {
            unsigned char bytes[96] = {};
            EXPECT_EQ(b.access(b.first, tlm::TLM_READ_COMMAND, 0, bytes, 64, 0), 12u);
            EXPECT_EQ(b.access(b.second, tlm::TLM_READ_COMMAND, chimera::memory::bulk_address,
                               bytes, 96, 1),
                      15u);
            EXPECT_EQ(b.access(b.first, tlm::TLM_WRITE_COMMAND, 0, bytes, 1, 100), 111u);
        });
    }
}

TEST(memory, refuses_what_is_outside_or_unsupported) {
    with_bench({0, 0}, 1000000, [](bench& b) {
        unsigned char bytes[64] = {};
        b.access(b.first, tlm::TLM_READ_COMMAND, 1000, bytes, 64, 0); // ends beyond 1024
        EXPECT_EQ(b.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        b.access(b.first, tlm::TLM_READ_COMMAND, UINT64_MAX, bytes, 64, 0);
        EXPECT_EQ(b.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(b.memory.transactions(), 0u);
    });
}

TEST(memory, blocking_transport_annotates_the_same_time) {
    with_bench({32, 10}, 1000000, [](bench& b) {
        unsigned char bytes[64] = {};
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_READ_COMMAND);
        payload.set_address(0);
        payload.set_data_ptr(bytes);
        payload.set_data_length(64);
        payload.set_streaming_width(64);
        sc_core::sc_time delay;
        b.first->b_transport(payload, delay);
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(delay.value(), 12000u); // ps, as above
    });
}

// The checker itself: a transaction that skips the memory manager and repeats a response.
TEST(base_protocol_checker, names_breaches) {
    const chm_memory_params ideal{0, 0}; // the memory refers to them
    context kernel;
    context::entry inside(kernel);
    bench* made = nullptr;
    kernel.build(
        [&] { made = &kernel.own(std::make_unique<bench>("bench", ideal, uint64_t{1000000})); });
    ASSERT_EQ(kernel.run(0).status, chm_ok);
    unsigned char bytes[4] = {};
    tlm::tlm_generic_payload payload;
    payload.set_data_ptr(bytes);
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    made->first->nb_transport_fw(payload, phase, delay);
    EXPECT_EQ(made->first_checker.breaches().size(), 3u); // status, manager, reference
}

} // namespace
