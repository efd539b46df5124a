// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/dma/reduce_unit.h"
#include "hw/dma/run_data.h"
#include "hw/dma/run_execution.h"
#include "hw/fabric/packet.h"

namespace chimera::dma {

// What the engine tells the DMA of a decided run on this die.
struct run_setup {
    uint32_t seq = 0; // of the run's last member: names the run on every die
    uint32_t communicator = 0;
    const die_program* program = nullptr; // outlives the run
    bool credits = true; // senders wait for ready credits (not all members are ready at start)
};

class dma_run;

// What a run asks of the DMA it belongs to.
class run_host {
public:
    virtual ~run_host() = default;
    virtual void post_transfer(dma_run& run, uint32_t outgoing) = 0;
    virtual void apply_at(dma_run& run, uint32_t incoming, uint64_t cycle) = 0;
    virtual void operation_may_run(dma_run& run, uint32_t operation) = 0;
    virtual void delivered(dma_run& run) = 0;
    virtual void finished(dma_run& run) = 0;
};

// A run on one die while it is executed: the counters, what has arrived of each transfer, and with
// data on the elements. It belongs to a DMA, which tells it the time with every call.
class dma_run : public execution_events {
public:
    void reset(const run_setup& setup, run_host& host, reduce_unit& adder, bool overlapped,
               const chm_truth* truth);

    const run_setup& setup() const { return m_setup; }
    const run_execution& execution() const { return m_execution; }
    run_data& data() { return m_data; }
    bool data_on() const { return m_data_on; }

    void start(memory::data_block&& input, uint64_t now);
    void ready_to_receive(uint64_t now);
    void credit(uint32_t die, uint64_t now);
    void sent(uint32_t outgoing, uint64_t now);
    void operation_done(uint32_t operation, uint64_t now);

    // A packet is here at `now` and its bytes are in memory at `written`.
    void arrived(uint32_t incoming, const fabric::packet& item, uint64_t now, uint64_t written);
    // The time given to apply_at has come. False with a message if a slot overflows.
    bool apply(uint32_t incoming, uint64_t now, std::string& fault);

    // True the first time.
    bool first_communication() {
        const bool first = !m_communicates;
        m_communicates = true;
        return first;
    }

    // Content and size of an outgoing transfer, from the moment its data is final.
    message_size take_message(uint32_t outgoing, std::vector<uint8_t>& bytes);

    // "run 12 waits for 3 of 5 transfers to arrive ..." for the watchdog.
    std::string describe() const;

private:
    struct arrival {
        uint64_t packets = 0, total = 0; // total: 0 until the last packet is here
        uint64_t bytes = 0, reduced = 0; // payload
        uint64_t done_at = 0;
        bool filed = false;
        std::vector<uint8_t> content;
    };
    struct content {
        std::vector<uint8_t> bytes;
        message_size size;
    };

    void transfer_data_ready(uint32_t outgoing) override;
    void transfer_may_go(uint32_t outgoing) override;
    void transfer_in_turn(uint32_t incoming) override;
    void operation_may_run(uint32_t operation) override;
    void delivered() override;
    void finished() override;

    bool fits_slot(uint32_t incoming, const arrival& here, std::string& fault);
    bool adds(uint32_t incoming) const;
    uint64_t reduce_limit(uint32_t incoming) const;
    void advance(uint32_t incoming);
    void try_file(uint32_t incoming);

    run_setup m_setup;
    run_host* m_host = nullptr;
    reduce_unit* m_adder = nullptr;
    bool m_overlapped = true, m_data_on = false, m_communicates = false;
    uint64_t m_now = 0;
    run_execution m_execution;
    run_data m_data;
    std::vector<arrival> m_arrivals;
    std::vector<uint64_t> m_slot_rows; // [slot] put into it so far
    std::vector<content> m_contents;   // [outgoing]
};

} // namespace chimera::dma
