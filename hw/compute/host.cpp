// SPDX-License-Identifier: Apache-2.0
#include "hw/compute/host.h"

#include <algorithm>
#include <cstring>

#include "hw/golden/fusion/descriptor.h"
#include "hw/memory/memory.h"

namespace chimera::compute {

host::host(const sc_core::sc_module_name& name, const host_context& context)
    : sc_module(name), mem("mem"), ctl("ctl"), m_context(context),
      m_wakeup("wakeup", context.clock_khz) {
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
    m_context.values->add_listener(this);
}

void host::ring_has_space(uint64_t now) {
    if (m_state == state::ring_full) {
        m_wakeup.at(now);
    }
}

void host::values_changed(uint64_t now) {
    if (m_state == state::waiting) {
        m_wakeup.at(now);
    }
}

void host::activate() {
    const uint64_t now = m_wakeup.fired();
    while (step(now)) {
    }
    tell(now);
}

void host::set_observer(trace::observer* observer, uint64_t now) {
    m_trace = observer;
    tell(now);
}

void host::tell(uint64_t now) {
    if (m_trace == nullptr) {
        return;
    }
    static constexpr trace::host_state states[] = {
        trace::host_state::ready, trace::host_state::enqueueing, trace::host_state::ring_full,
        trace::host_state::waiting, trace::host_state::ended};
    const chm_die_stream& stream = m_context.workload->streams[m_context.die];
    m_trace->host(m_context.die, states[static_cast<size_t>(m_state)],
                  m_position < stream.count ? stream.entries[m_position].seq : trace::none, now);
}

// One step of the stream; false when the host must wait.
bool host::step(uint64_t now) {
    if (m_state == state::enqueueing || m_state == state::ring_full) {
        if (now < m_due) {
            m_wakeup.at(m_due);
            return false;
        }
        return enqueue(now);
    }
    const chm_die_stream& stream = m_context.workload->streams[m_context.die];
    if (m_position == stream.count) {
        if (!m_ended) {
            m_ended = true;
            m_state = state::ended;
            m_client->stream_ended(now);
        }
        return false;
    }
    const chm_stream_entry& entry = stream.entries[m_position];
    switch (entry.kind) {
    case chm_stream_compute: m_context.array->push(entry.seq, now); break;
    case chm_stream_wait:
        if (!wait_is_over(m_context.workload->operations[entry.seq])) {
            m_state = state::waiting;
            return false;
        }
        if (m_context.values->watcher() != nullptr) {
            m_context.values->watcher()->host_waited(m_context.die,
                                                     m_context.workload->operations[entry.seq]);
        }
        m_state = state::ready;
        break;
    case chm_stream_descriptor:
        m_state = state::enqueueing;
        m_due = now + m_context.params->enqueue_cycles_per_descriptor;
        return true;
    }
    ++m_position;
    return true;
}

bool host::wait_is_over(const chm_operation& operation) const {
    for (uint32_t i = 0; i < operation.operand_count; ++i) {
        if (!m_context.values->ready(operation.operands[i])) {
            return false;
        }
    }
    return true;
}

bool host::enqueue(uint64_t now) {
    if (!has_space(now)) {
        m_full_since = m_state == state::ring_full ? m_full_since : now;
        m_state = state::ring_full;
        return false;
    }
    if (m_state == state::ring_full) {
        m_ring_full += now - m_full_since;
    }
    next_entry();
    write_entry(now);
    if (m_writes_injected) { // the stream's own descriptor follows
        m_state = state::enqueueing;
        m_due = now + m_context.params->enqueue_cycles_per_descriptor;
        return true;
    }
    m_state = state::ready;
    ++m_descriptors;
    ++m_position;
    return true;
}

// One entry stays free, so that head == tail means empty.
bool host::has_space(uint64_t now) {
    const uint32_t entries = static_cast<uint32_t>(m_context.params->ring_entries);
    if ((m_tail + 1) % entries != m_head) {
        return true;
    }
    unsigned char word[4] = {};
    sc_core::sc_time delay = m_wakeup.delay_to(now);
    if (!memory::access(ctl, m_payloads, tlm::TLM_READ_COMMAND, chm_csr_head, word, 4, delay)) {
        m_client->host_fault(chm_internal, "the engine refused to be read at its head register");
    }
    std::memcpy(&m_head, word, 4);
    return (m_tail + 1) % entries != m_head;
}

void host::next_entry() {
    m_writes_injected = false;
    const std::vector<injected_descriptor>* injected = m_context.injected;
    for (; injected != nullptr && m_injected < injected->size(); ++m_injected) {
        const injected_descriptor& item = (*injected)[m_injected];
        if (item.die == m_context.die && item.position == m_descriptors) {
            m_writes_injected = true;
            ++m_injected;
            std::memcpy(m_bytes, item.bytes, sizeof m_bytes);
            return;
        }
        if (item.die == m_context.die && item.position > m_descriptors) {
            break;
        }
    }
    const uint32_t seq = m_context.workload->streams[m_context.die].entries[m_position].seq;
    chm_descriptor_encode(&m_context.workload->descriptors[seq], m_bytes);
}

void host::write_entry(uint64_t now) {
    sc_core::sc_time delay = m_wakeup.delay_to(now);
    const uint64_t address = memory::ring_address + uint64_t{m_tail} * chm_descriptor_bytes;
    bool done = memory::access(mem, m_payloads, tlm::TLM_WRITE_COMMAND, address, m_bytes,
                               sizeof m_bytes, delay);
    m_tail = (m_tail + 1) % static_cast<uint32_t>(m_context.params->ring_entries);
    unsigned char word[4];
    std::memcpy(word, &m_tail, 4);
    // The doorbell is rung when the entry is written: the delay goes on.
    done =
        memory::access(ctl, m_payloads, tlm::TLM_WRITE_COMMAND, chm_csr_doorbell, word, 4, delay) &&
        done;
    if (!done) {
        m_client->host_fault(chm_internal, "queueing a descriptor was refused");
    }
}

void host::describe_stuck(std::string& text) const {
    const std::string who = "die " + std::to_string(m_context.die) + ": host ";
    if (m_state == state::ring_full) {
        text += who + "waits for space in the ring\n";
    } else if (m_state == state::waiting) {
        const uint32_t seq = m_context.workload->streams[m_context.die].entries[m_position].seq;
        text += who + "waits in operation " + std::to_string(seq) + "\n";
    }
}

} // namespace chimera::compute
