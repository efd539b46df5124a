// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "hw/fabric/fabric.h"
#include "hw/fabric/watchdog.h"

namespace chimera::fabric {

// Where die s of N sends, on X columns and Y rows. Some dies send to themselves.
enum class load_pattern {
    uniform,       // any other die, at random
    transpose,     // x + X*y -> y + Y*x, the same z
    bitcomplement, // N - 1 - s
    tornado,       // half way round in each dimension: x + ceil(X / 2) - 1, and y and z likewise
    shuffle,       // 2 s mod (N - 1), which rotates the bits of s; the last die to itself
    hotspot,       // one packet in ten to die 0, the others uniform
    neighbour      // the next die in x, where there is but one column the next die
};

struct load_params {
    load_pattern pattern = load_pattern::uniform;
    double rate = 0.1;               // flits per die per cycle offered, headers included; 0 .. 1
    uint32_t packet_bytes = 256;     // payload of a packet, at most mtu_bytes
    uint64_t warm_up_cycles = 16000; // before anything is counted
    uint64_t measure_cycles = 10000; // in which packets are offered and counted
    uint64_t drain_cycles = 100000;  // at most, for the counted ones to arrive, load going on

    // Appends one line per fault; true if there is none.
    bool validate(const chm_topology& topology, std::string& faults) const;
};

struct load_result {
    chm_status status = chm_ok;
    std::string text;        // of a failure
    double offered = 0;      // flits per die per cycle in the measured stretch
    double accepted = 0;     // ... that arrived in it
    double drift = 0;        // accepted in its second half less that in its first, of `accepted`
    double least_source = 0; // flits per cycle that arrived from the die that got fewest through
    double busiest_port = 0; // flits per cycle that the die took to which most came
    uint64_t packets = 0;    // offered in it
    uint64_t unfinished = 0; // of these, not arrived when draining ended
    double latency_mean = 0; // cycles from offer to arrival, of those that arrived
    uint64_t latency_p50 = 0, latency_p99 = 0; // nearest rank
    uint64_t latency_max = 0;
    uint64_t end_cycle = 0;
};

// The destination of packet `index` of a die; random ones by a hash of (seed, die, index).
uint32_t load_destination(const chm_topology& topology, load_pattern pattern, uint64_t seed,
                          uint32_t die, uint64_t index);

// An open-loop source behind every network interface: at each cycle a die offers a packet with
// probability rate / flits (by a hash of (seed, die, cycle): a higher rate offers the packets of a
// lower one and more), whatever the network takes; what it cannot take waits in the source's queue,
// and its latency counts from the offer.
class load : public sc_core::sc_module, public watched_work {
public:
    SC_HAS_PROCESS(load);

    // Becomes the client of every interface of `network`, which must outlive the module; `params`
    // has been validated.
    load(const sc_core::sc_module_name& name, fabric& network, const load_params& params);
    ~load() override;

    load_result result() const;
    uint64_t measured_from() const { return m_params.warm_up_cycles; }
    uint64_t measured_until() const { return measured_from() + m_params.measure_cycles; }

    // All counted packets have arrived. Sources stop then, or when draining ends.
    bool finished() const override { return m_outstanding == 0; }
    // Between packets of a low rate nothing moves.
    bool timed_work_pending() const override { return m_network.in_flight() == 0; }
    void describe_unfinished(std::string& text) const override;

private:
    class source;
    bool offers(uint32_t die, uint64_t cycle) const;
    bool counted(uint64_t cycle) const {
        return cycle >= measured_from() && cycle < measured_until();
    }
    void arrived(const packet& item, uint64_t now);

    fabric& m_network;
    const load_params m_params;
    uint32_t m_flits; // of a packet
    uint64_t m_counted = 0, m_outstanding = 0;
    uint64_t m_accepted_flits[2] = {0, 0};      // in the halves of the measured stretch
    std::vector<uint64_t> m_from_die, m_at_die; // flits accepted
    uint64_t m_last = 0;                        // arrival
    std::vector<uint32_t> m_latencies;
    std::vector<std::unique_ptr<source>> m_sources;
};

// A whole run in a context of its own. Takes the process-wide kernel lock.
load_result run_load(const chm_topology& topology, const fabric_params& params,
                     const load_params& load);

} // namespace chimera::fabric
