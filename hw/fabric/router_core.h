// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/fabric/fabric_params.h"
#include "hw/fabric/index_sets.h"
#include "hw/fabric/input_unit.h"
#include "hw/fabric/output_unit.h"
#include "hw/fabric/routing_unit.h"
#include "hw/fabric/state_block.h"
#include "hw/fabric/switch_allocator.h"
#include "hw/trace/observer.h"

namespace chimera::fabric {

// Where a router's decisions go. `due` is the cycle at the other end: of the head at a router, of
// the arrival (one past the last flit) at a network interface, of a credit upstream.
class router_sink {
public:
    virtual ~router_sink() = default;
    virtual void send_packet(uint32_t output, packet* item, uint64_t due) = 0;
    virtual void send_credit(uint32_t input, uint32_t vc, uint32_t flits, uint64_t due) = 0;
    // Downstream: of the train last sent only `keep` packets come with it (train.h).
    virtual void send_train_cut(uint32_t, uint32_t /*keep*/, uint64_t /*due*/) {}
    // Upstream: credits of train `serial` usable at `from` and after are not to be taken for
    // granted.
    virtual void send_credit_cut(uint32_t, uint32_t /*serial*/, uint64_t /*from*/,
                                 uint64_t /*due*/) {}
};

// A router without a kernel: virtual cut-through with input queues per virtual channel. Ports
// switch whole packets: a grant at g makes input and output busy until g + flits, an output with a
// slow link, which has a buffer of a packet before it, until g + flits * cycles_per_flit.
//
// It decides for each cycle as if it ran in it, but runs later: for cycles in which only channels
// can be allocated when it next runs, since only grants are seen outside, and for grants when what
// they send must be filed (router_schedule.cpp). So a busy router runs once for several packets.
//
// An input channel is known by its number, port * vcs + vc.
class router_core {
public:
    static constexpr uint64_t never = UINT64_MAX;

    // Lets trains pass if it has a pool to make packets from.
    router_core(const chm_topology& topology, const fabric_params& params, uint32_t node,
                packet_pool* pool = nullptr);

    ~router_core();
    router_core(const router_core&) = delete;
    router_core& operator=(const router_core&) = delete;

    uint32_t inputs() const { return m_input_count; }
    uint32_t outputs() const { return m_output_count; }

    // Files an item that is due at a later cycle than any advance so far. Returns the cycle at
    // which the router must run for it, never if none.
    uint64_t file_packet(uint32_t input, packet* item, uint64_t due);
    uint64_t file_credit(uint32_t output, uint32_t vc, uint32_t flits, uint64_t due);

    uint64_t file_train_cut(uint32_t input, uint32_t keep, uint64_t due);
    uint64_t file_credit_cut(uint32_t output, uint32_t serial, uint64_t from, uint64_t due);

    // Decides for cycle `now` and returns the next cycle to run, never if there is nothing to do.
    uint64_t advance(uint64_t now, router_sink& sink);

    // Decides for every cycle up to `now` that needs it, one after the other.
    void catch_up(uint64_t now, router_sink& sink);
    // When to catch up at the latest: what a grant sends takes some cycles to where it goes, and
    // until then nobody can tell when it was decided. Never if there is nothing to do.
    uint64_t deadline() const { return m_deadline; }
    // Routers of a machine of this size are not in the caches when they run.
    bool cold() const { return m_cold; }

    // Null: nobody. Trains pass unseen: the observed send none.
    void set_observer(trace::observer* observer);

    uint64_t grants() const { return m_grants; }
    uint64_t busy_cycles(uint32_t output) const { return output_at(output).busy_cycles; }

    // Nothing is queued, every credit is back (or under way) and no channel is held.
    bool empty() const;

    // Why the head of an input channel does not go on: a channel downstream that has no room, or
    // another input channel of this router whose head holds the channel it would take.
    struct blocker {
        enum { nothing, no_room, held } reason;
        uint32_t output, vc; // no_room: the channel downstream
        uint32_t holder;     // held: the input channel
    };
    blocker blocked_by(uint32_t channel) const;
    uint32_t channels() const { return m_channel_count; }
    const packet& head(uint32_t channel) const { return *m_channels[channel].queue.first(); }

    // Calls `visit(packet, text)` for every queued head, with what it waits for.
    void describe_stuck(const std::function<void(const packet&, const std::string&)>& visit) const;

private:
    uint32_t port_of(uint32_t channel) const { return m_port_of[channel]; } // input port
    output_unit& output_at(uint32_t port) const {
        return *reinterpret_cast<output_unit*>(m_outputs + port * m_output_bytes);
    }
    // Packets leave without gaps: what comes over a slow link goes on over a faster one so many
    // cycles after its head has come.
    uint64_t gathering(const input_unit& input, uint32_t output, uint32_t flits) const {
        const uint32_t slow = input.cycles_per_flit;
        if (slow == 1) {
            return 0;
        }
        const uint32_t fast = output_at(output).cycles_per_flit;
        return slow > fast ? uint64_t(slow - fast) * (flits - 1) : 0;
    }
    bool wanted(uint32_t output) const { return output_at(output).heads > 0; }

    void place_state(state_block& block);
    void place_output(state_block& block, uint32_t port);
    void set_up_inputs();
    void set_up_outputs();

    void accept_arrivals(uint32_t port, uint64_t now);
    void decide(uint64_t now);
    void await_channel(uint32_t channel, const packet& item);
    // Channel allocation: the heads that wait for a channel of one output.
    void allocate_channels(uint32_t output, uint64_t now);
    void allocate_class(uint32_t output, uint32_t first_vc, uint64_t now);
    uint64_t first_ready(uint32_t output, uint32_t first_vc) const;
    void allocate_round(uint32_t output, uint32_t first_vc, uint64_t cycle);
    uint32_t offer(uint32_t output, uint32_t first_vc, uint32_t vc, uint64_t cycle) const;
    uint32_t accept(uint32_t output, uint32_t first_vc, uint32_t channel);
    void assign(uint32_t channel, uint32_t output, uint32_t vc);
    // Row of m_waiting, of the class that begins at a channel of an output.
    size_t class_row(uint32_t output, uint32_t first_vc) const {
        return size_t(output) * m_vcs + first_vc;
    }
    // The pointer of an input port among the channels of a class.
    uint16_t& next_vc(uint32_t input, uint32_t output, uint32_t first_vc) {
        return output_at(output).classes[first_vc].next_vc[input];
    }
    // The same by words of channels (router_words.cpp).
    void catch_up_words(uint64_t now, router_sink& sink);
    uint64_t advance_words(uint64_t now, router_sink& sink);
    uint64_t decide_words(uint64_t now, router_sink& sink);
    void allocate_class_words(output_unit& output, uint32_t first_vc, uint64_t now);
    bool allocate_alone(output_unit& output, uint32_t first_vc, uint64_t now);
    bool allocate_several(output_unit& output, uint32_t first_vc, uint64_t now);
    void allocate_round_words(output_unit& output, uint32_t first_vc, uint64_t free, uint64_t heads,
                              uint64_t cycle);
    void assign_word(output_unit& output, uint32_t first_vc, uint32_t vc, uint32_t channel,
                     uint64_t cycle);
    uint64_t asking(uint64_t waiting, uint64_t cycle) const;
    uint64_t first_asks(uint64_t waiting) const;
    uint32_t offer_words(uint64_t heads, uint32_t turn) const;
    uint64_t may_send(const output_unit& output, uint64_t now) const;
    uint64_t next_grant_words(const output_unit& output, uint64_t after) const;
    // Switch allocation: the heads that have a channel.
    void request_switch(uint32_t output, uint64_t now);
    void grant(const switch_allocator::grant& grant, uint64_t now, router_sink& sink);
    // What an observer is told (router_trace.cpp).
    void note_buffered(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due);
    void note_grant(const switch_allocator::grant& grant, const packet& item, uint64_t now);
    // When to run (router_schedule.cpp).
    uint64_t filed(uint64_t cycle, uint64_t deadline);
    uint64_t wait(uint32_t flits) const { return std::min(flits + m_margin, m_longest_wait); }
    void fetch() const;
    uint64_t next_run(uint64_t now);
    uint64_t next_of_all() const;
    uint64_t next_of_trains(uint64_t next) const;
    uint64_t next_grant(uint32_t output, uint64_t after) const;
    uint64_t next_deadline() const;
    uint64_t arrival_deadline(uint32_t port, uint64_t limit) const;
    // Trains want to be decided on, and hear of rivals, at the very cycle.
    bool punctual() const { return m_trains > 0 || !m_notices.empty(); }
    bool stalled(uint64_t what, uint64_t now) const;

    // Trains (router_trains.cpp).
    struct passing_train {
        uint32_t input, output, count, flits;
        uint64_t first;           // cycle of the first packet's grant
        uint32_t in_vc, out_vc;   // channels of the first packet
        uint32_t serial;          // on the output's link
        uint64_t uncredited_from; // credits usable from then on are sent, not taken for granted
    };
    struct notice {
        uint64_t due;
        bool credit; // of a credit cut, else of a train cut
        uint32_t port, keep, serial;
        uint64_t from;
    };
    void work_off_trains(uint64_t now, router_sink& sink);
    bool take_notice(const notice& item, uint64_t now, router_sink& sink);
    void shorten(const notice& item, uint64_t now, router_sink& sink);
    bool has_rival(const passing_train& train, uint64_t now) const;
    void cut(size_t index, uint64_t now, router_sink& sink);
    void settle_train(const passing_train& train, uint32_t packets, uint64_t now);
    void settle_ports(const passing_train& train, uint32_t packets);
    void settle_credits(const passing_train& train, uint32_t packets, uint64_t now);
    void leave(size_t index);
    void admit_trains(uint64_t now, router_sink& sink);
    bool may_pass(uint32_t input, const packet& train, uint64_t now);
    bool channels_free(uint32_t input, const packet& train, uint64_t now);
    void let_pass(uint32_t input, uint64_t now, router_sink& sink);
    void take_apart(uint32_t input, uint64_t now, router_sink& sink);
    void demand_credits(uint32_t input, uint64_t now, router_sink& sink);
    std::string waits_for(uint32_t channel) const;

    // All of a router's state is in one block, what most activations look at first and dense: it is
    // cold when the router runs.
    uint64_t m_next = never; // cycle to decide for
    uint64_t m_deadline = never;
    uint64_t m_margin = UINT32_MAX;  // a grant of F flits may be decided F + m_margin cycles late,
    uint64_t m_longest_wait = never; // or so many if that is less
    uint32_t m_vcs, m_input_count, m_output_count, m_channel_count;
    uint64_t* m_next_due;     // [inputs] of the first packet on the link, never if none
    uint64_t* m_input_busy;   // [inputs] the port sends until then, through the crossbar
    uint64_t* m_output_busy;  // [outputs] the port sends until then
    uint64_t* m_output_next;  // [outputs] no grant is possible before, never if no head
    uint32_t* m_output_flits; // [outputs] no head has fewer
    uint16_t* m_port_of;      // [channels] the input port of a channel
    input_unit* m_inputs;
    input_channel* m_channels;
    uint8_t* m_outputs;       // an output_unit with its own each ...
    uint32_t m_output_bytes;  // ... so many
    uint32_t m_trains = 0;    // among what is on the links of inputs
    bool m_train_due = false; // one is at the head of an input now
    bool m_cold;              // the machine is so large that its state is, when it runs
    bool m_stalls;
    bool m_words; // sets of channels are words, and ports do not stall
    uint64_t m_grants = 0;
    state_block m_block; // all of the above
    switch_allocator m_switch_allocator;

    const chm_topology& m_topology;
    const fabric_params& m_params;
    uint32_t m_node;
    routing_unit m_routing;

    trace::observer* m_observer = nullptr;
    packet_pool* m_pool;
    uint32_t m_serial = 0; // of the last train sent
    std::vector<passing_train> m_passing;
    uint8_t* m_passing_at; // [inputs] the first of its arrivals is passing
    std::vector<notice> m_notices;

    // Where sets are not words.
    index_sets m_waiting; // [outputs * vcs], by class: input channels whose head waits for one
    index_sets m_ready;   // [outputs] input channels whose head has one
    std::vector<uint32_t> m_offered; // [vcs] input channel an output channel is offered to
};

} // namespace chimera::fabric

#include "hw/fabric/router_filing.h"
