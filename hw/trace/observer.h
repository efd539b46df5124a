// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace chimera::trace {

constexpr uint32_t none = UINT32_MAX;

// Of a fusion engine: what its oldest run on the die does, or what is in front of the window.
enum class engine_state : uint8_t {
    idle,
    collecting,        // descriptors are there, none of their runs is decided
    planning,          // decided, on its way to issue
    waits_for_staging, // issued
    waits_for_input,
    waits_for_buffers, // readers of what the outputs overwrite
    running,
    sending // all it must hold is here; what it sends is not gone
};

enum class host_state : uint8_t { ready, enqueueing, ring_full, waiting, ended };

enum class channel_state : uint8_t { idle, setting_up, sending }; // of a DMA

enum class run_step : uint8_t { decided, issued, started, delivered, retired };

struct engine_note {
    engine_state state = engine_state::idle;
    uint32_t window = 0;                // descriptors of runs that are not decided
    uint32_t in_flight = 0;             // descriptors fetched and not issued
    uint32_t runs = 0;                  // decided and not retired here
    uint32_t oldest = none;             // seq of the oldest of them
    uint64_t fused = 0, eliminated = 0; // registers
};

struct message_note {
    uint32_t source = 0, destination = 0; // dies
    uint32_t seq = 0;                     // of the run
    uint64_t transfer = 0;                // in its plan
    uint64_t packets = 0, bytes = 0;
};

// A packet, or several of one message that a loosely timed network carries as one.
struct packet_note {
    uint32_t source = 0, destination = 0; // dies
    uint32_t seq = 0;
    uint64_t transfer = 0, message = 0;
    uint32_t index = 0, packets = 1; // index: of the first of them in its message
    uint32_t flits = 0;              // headers included
    uint64_t bytes = 0;              // payload and metadata
    bool last = false;
};

struct hop_note {
    packet_note packet;
    uint32_t node = 0, in_port = 0, out_port = 0; // as the topology numbers them
    uint32_t in_vc = none;                        // none where there are no channels
    uint64_t arrived = 0;                         // the head at the node's input
    uint64_t granted = 0;                         // the head leaves the input
    uint64_t sent = 0;                            // the head is on the outgoing link,
    uint64_t busy_cycles = 0;                     // which it keeps so long
};

// What can be seen of a machine, and the cycle at which it is due. A module has a pointer to an
// observer that is null while nobody looks. It tells what it does when it decides it, which is not
// when it is due: a module may know ahead, and routers decide up to latest() cycles late
// (tracer.h). Nothing that an observer does changes the run.
class observer {
public:
    virtual ~observer() = default;

    virtual void engine(uint32_t /*die*/, const engine_note&, uint64_t /*cycle*/) {}
    // `name` says what was fused; of step `decided` only, else null.
    virtual void run(uint32_t /*die*/, uint32_t /*seq*/, run_step, const std::string* /*name*/,
                     uint64_t /*cycle*/) {}
    // An operation inside a run works in [from, to).
    virtual void operation(uint32_t /*die*/, uint32_t /*seq*/, uint64_t /*from*/, uint64_t /*to*/) {
    }
    // The host's place in the program; seq is none at its end.
    virtual void host(uint32_t /*die*/, host_state, uint32_t /*seq*/, uint64_t /*cycle*/) {}
    // The array begins operation `seq`, or with none ends it.
    virtual void compute(uint32_t /*die*/, uint32_t /*seq*/, uint64_t /*cycle*/) {}

    // A DMA channel takes a message, whose first packet may leave at `ready`; it is done with it.
    virtual void channel_begins(uint32_t /*die*/, uint32_t /*channel*/, const message_note&,
                                uint64_t /*cycle*/, uint64_t /*ready*/) {}
    virtual void channel_ends(uint32_t /*die*/, uint32_t /*channel*/, uint64_t /*cycle*/) {}
    // The tail has arrived at its destination.
    virtual void arrived(const packet_note&, uint64_t /*cycle*/) {}

    // The head of a packet comes into a router's input channel, which it leaves flits after the
    // grant of its hop.
    virtual void buffered(uint32_t /*node*/, uint32_t /*in_port*/, uint32_t /*in_vc*/,
                          uint32_t /*flits*/, uint64_t /*cycle*/) {}
    virtual void hop(const hop_note&) {}
};

} // namespace chimera::trace
