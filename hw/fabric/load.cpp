// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/load.h"

#include <algorithm>
#include <numeric>

#include "hw/base/random.h"

namespace chimera::fabric {

namespace {
constexpr uint64_t never = UINT64_MAX;
} // namespace

bool load_params::validate(const chm_topology& topology, std::string& faults) const {
    const size_t before = faults.size();
    if (!(rate > 0 && rate <= 1)) {
        faults += "rate: allowed are flits per die per cycle above 0, at most 1\n";
    }
    if (packet_bytes > topology.mtu_bytes) {
        faults += "packet_bytes: got " + std::to_string(packet_bytes) + "; allowed: 0 .. " +
                  std::to_string(topology.mtu_bytes) + ", the platform's mtu_bytes\n";
    }
    if (measure_cycles == 0) {
        faults += "measure_cycles: allowed are 1 and more\n";
    }
    const uint64_t most = uint64_t(1) << 40;
    if (warm_up_cycles > most || measure_cycles > most || drain_cycles > most) {
        faults += "warm_up_cycles, measure_cycles, drain_cycles: allowed are at most 2^40\n";
    }
    return faults.size() == before;
}

// Offers packets and takes those that arrive. Offers that the network has not taken yet are the
// cycles from a port's next one to the present at which the die offers what leaves by that port.
class load::source : public network_client {
public:
    source(load& owner, uint32_t die) : m_owner(owner), m_die(die) {
        m_ports.resize(owner.m_network.interface(die).ports());
        for (uint32_t port = 0; port < m_ports.size(); ++port) {
            find_next(port, 0);
        }
    }

    void start() {
        for (uint32_t port = 0; port < m_ports.size(); ++port) {
            wake(port);
        }
    }

    packet* next_packet(uint64_t now) override { return next_packet_by(0, now); }

    packet* next_packet_by(uint32_t port, uint64_t now) override {
        const offer next = m_ports[port];
        if (next.cycle > now || m_owner.finished()) {
            wake(port);
            return nullptr;
        }
        packet* item = m_owner.m_network.packets().take();
        item->source = m_die;
        item->destination = destination_of(next);
        item->message = message();
        item->index = static_cast<uint32_t>(next.index);
        item->payload_bytes = m_owner.m_params.packet_bytes;
        item->last = true;
        item->tag.chunk = next.cycle;
        ++m_ports[port].index;
        find_next(port, next.cycle + 1);
        return item;
    }

    void packet_arrived(packet* item, uint64_t now) override {
        m_owner.arrived(*item, now);
        m_owner.m_network.packets().give(item);
    }

private:
    struct offer {
        uint64_t cycle = 0; // never: there is no more
        uint64_t index = 0; // among all of the die
    };

    uint64_t message() const { return uint64_t{m_die} << 32; }
    uint32_t destination_of(const offer& item) const {
        return load_destination(m_owner.m_network.topology(), m_owner.m_params.pattern,
                                m_owner.m_network.params().seed, m_die, item.index);
    }
    bool leaves_by(uint32_t port, const offer& item) const {
        return m_ports.size() == 1 || port == m_owner.m_network.interface(m_die).port_of(
                                                  destination_of(item), message(), item.index);
    }

    // The next offer of a port from `cycle` on; those of other ports are counted.
    void find_next(uint32_t port, uint64_t cycle) {
        const uint64_t end = m_owner.measured_until() + m_owner.m_params.drain_cycles;
        offer& next = m_ports[port];
        for (;; ++next.index, ++cycle) {
            while (cycle < end && !m_owner.offers(m_die, cycle)) {
                ++cycle;
            }
            next.cycle = cycle < end ? cycle : never;
            if (next.cycle == never || leaves_by(port, next)) {
                return;
            }
        }
    }

    void wake(uint32_t port) {
        const uint64_t next = m_ports[port].cycle;
        if (next != never && !m_owner.finished()) {
            m_owner.m_network.interface(m_die).wake_port(port, next);
        }
    }

    load& m_owner;
    uint32_t m_die;
    std::vector<offer> m_ports; // the next one of each
};

load::load(const sc_core::sc_module_name& name, fabric& network, const load_params& params)
    : sc_core::sc_module(name), m_network(network), m_params(params),
      m_flits(packet_flits(network.topology(), params.packet_bytes)),
      m_from_die(network.topology().dies), m_at_die(network.topology().dies) {
    for (uint32_t die = 0; die < network.topology().dies; ++die) {
        for (uint64_t cycle = measured_from(); cycle < measured_until(); ++cycle) {
            m_counted += offers(die, cycle) ? 1 : 0;
        }
    }
    m_outstanding = m_counted;
    for (uint32_t die = 0; die < network.topology().dies; ++die) {
        m_sources.push_back(std::make_unique<source>(*this, die));
        network.interface(die).set_client(m_sources.back().get());
        m_sources.back()->start();
    }
}

load::~load() = default;

bool load::offers(uint32_t die, uint64_t cycle) const {
    const uint64_t hash = chm_hash3(m_network.params().seed ^ 0x6f66666572, die, cycle);
    return chm_chance(hash, m_params.rate / m_flits);
}

void load::arrived(const packet& item, uint64_t now) {
    // The last flit was there in the cycle before.
    if (counted(now - 1)) {
        const bool second = (now - 1 - measured_from()) * 2 >= m_params.measure_cycles;
        m_accepted_flits[second] += item.flits;
        m_from_die[item.source] += item.flits;
        m_at_die[item.destination] += item.flits;
    }
    m_last = std::max(m_last, now);
    if (counted(item.tag.chunk)) {
        m_latencies.push_back(static_cast<uint32_t>(now - item.tag.chunk));
        --m_outstanding;
    }
}

void load::describe_unfinished(std::string& text) const {
    text += std::to_string(m_outstanding) + " of " + std::to_string(m_counted) +
            " packets offered in the measured stretch have not arrived\n";
}

load_result load::result() const {
    load_result result;
    const double slots = static_cast<double>(m_network.topology().dies) *
                         static_cast<double>(m_params.measure_cycles);
    result.packets = m_counted;
    result.unfinished = m_outstanding;
    result.offered = static_cast<double>(m_counted * m_flits) / slots;
    const auto first = static_cast<double>(m_accepted_flits[0]);
    const auto second = static_cast<double>(m_accepted_flits[1]);
    result.accepted = (first + second) / slots;
    result.drift = first + second > 0 ? 2 * (second - first) / (first + second) : 0;
    const auto cycles = static_cast<double>(m_params.measure_cycles);
    result.least_source =
        static_cast<double>(*std::min_element(m_from_die.begin(), m_from_die.end())) / cycles;
    result.busiest_port =
        static_cast<double>(*std::max_element(m_at_die.begin(), m_at_die.end())) / cycles;
    result.end_cycle = m_last;
    std::vector<uint32_t> sorted = m_latencies;
    if (sorted.empty()) {
        return result;
    }
    std::sort(sorted.begin(), sorted.end());
    result.latency_mean =
        std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
    result.latency_p50 = sorted[(sorted.size() * 50 + 99) / 100 - 1];
    result.latency_p99 = sorted[(sorted.size() * 99 + 99) / 100 - 1];
    result.latency_max = sorted.back();
    return result;
}

load_result run_load(const chm_topology& topology, const fabric_params& params,
                     const load_params& load_options) {
    load_result result;
    params.validate(result.text);
    load_options.validate(topology, result.text);
    if (!result.text.empty()) {
        result.status = chm_bad_argument;
        return result;
    }
    kernel::context context;
    kernel::context::entry inside(context);
    fabric* network = nullptr;
    load* sources = nullptr;
    kernel::run_result run = context.build([&] {
        network = &context.own(std::make_unique<fabric>("fabric", topology, params));
        sources = &context.own(std::make_unique<load>("load", *network, load_options));
    });
    if (run.status == chm_ok) {
        const uint64_t end = sources->measured_until() + load_options.drain_cycles;
        run = run_watched(context, *network, *sources,
                          chm_clock_cycles_to_ps(end, network->clock_khz()));
    }
    // What failures keep from arriving is counted, whether others still move or not.
    if (run.status == chm_ok || run.status == chm_unreachable) {
        return sources->result();
    }
    result.status = run.status;
    result.text = run.text;
    return result;
}

} // namespace chimera::fabric
