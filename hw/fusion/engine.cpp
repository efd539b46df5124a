// SPDX-License-Identifier: Apache-2.0
#include "hw/fusion/engine.h"

#include <algorithm>
#include <cstring>

#include "hw/memory/memory.h"

namespace chimera::fusion {

namespace {

planning_work work_of(const dma::die_program& program) {
    planning_work work;
    for (uint32_t i = 0; i < program.outgoing.size(); ++i) {
        ++work.sends;
        work.first_sends += program.out(i).slice == 0;
    }
    work.transfers = work.sends + program.incoming.size();
    work.first_transfers = work.first_sends;
    for (uint32_t i = 0; i < program.incoming.size(); ++i) {
        work.first_transfers += program.in(i).slice == 0;
    }
    return work;
}

} // namespace

engine::engine(const sc_core::sc_module_name& name, const engine_context& context)
    : sc_module(name), ctl("ctl"), mem("mem"), m_context(context),
      m_params(context.parameters->engine), m_wakeup("wakeup", context.clock_khz),
      m_pipeline(m_params), m_staging(m_params.staging_bytes),
      m_window(chm_window_create(&context.workload->tables)),
      m_decoded_at(context.workload->operation_count, 0),
      m_held_cycles(context.workload->operation_count, UINT64_MAX) {
    if (m_window == nullptr) {
        throw std::bad_alloc();
    }
    ctl.register_nb_transport_fw(this, &engine::nb_transport_fw);
    ctl.register_b_transport(this, &engine::b_transport);
    m_registers.depth = static_cast<uint32_t>(m_params.ring_entries);
    m_registers.window_max = static_cast<uint32_t>(m_params.window_depth_max);
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
    m_context.values->add_listener(this);
}

engine::~engine() {
    chm_window_free(m_window);
}

tlm::tlm_sync_enum engine::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        access_registers(payload, delay);
    } else {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    return tlm::TLM_COMPLETED;
}

void engine::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    access_registers(payload, delay);
}

void engine::access_registers(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    payload.set_dmi_allowed(false);
    if (payload.get_data_length() != 4 || payload.get_byte_enable_ptr() != nullptr ||
        payload.get_streaming_width() < 4) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    uint32_t word = 0;
    bool known = true;
    if (payload.is_write()) {
        std::memcpy(&word, payload.get_data_ptr(), 4);
        const csr_file::effect effect = m_registers.write(payload.get_address(), word);
        known = effect != csr_file::effect::refused;
        if (effect == csr_file::effect::doorbell || effect == csr_file::effect::enabled) {
            const bool rings = effect == csr_file::effect::doorbell;
            const uint64_t cycle = kernel::cycle_after(delay, m_context.clock_khz);
            m_agenda.add(cycle, {due_kind::doorbell, rings ? word : m_registers.tail, 0});
            m_wakeup.at(cycle);
        }
    } else if (payload.is_read()) {
        m_registers.moved = m_context.observer->payload_bytes_injected(m_context.die);
        known = m_registers.read(payload.get_address(), word);
        std::memcpy(payload.get_data_ptr(), &word, 4);
    }
    payload.set_response_status(known ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void engine::activate() {
    const uint64_t now = m_wakeup.fired();
    due item = {};
    while (m_agenda.take(now, item)) {
        dispatch(item, now);
    }
    evaluate(now);
    try_fetch(now);
    try_drain(now);
    if (!m_agenda.empty()) {
        m_wakeup.at(m_agenda.next());
    }
    if (m_trace != nullptr) {
        tell(now);
    }
}

void engine::dispatch(const due& item, uint64_t now) {
    switch (item.kind) {
    case due_kind::doorbell: m_registers.tail = item.first; break;
    case due_kind::decode: decode(now); break;
    case due_kind::issue: issue(now); break;
    case due_kind::operation: end_operation(item.first, item.second, now); break;
    }
}

bool engine::window_has_room() const {
    return chm_window_occupancy(m_window) + m_fetched.size() + m_planned_descriptors <
           m_params.window_depth_max;
}

void engine::try_fetch(uint64_t now) {
    while (m_registers.enable != 0 && m_next_fetch != m_registers.tail && window_has_room()) {
        fetched_entry entry;
        entry.entry = m_next_fetch;
        const uint64_t start = m_pipeline.fetch_start(now);
        sc_core::sc_time delay = m_wakeup.delay_to(start);
        if (!memory::access(mem, m_payloads, tlm::TLM_READ_COMMAND,
                            memory::ring_address + uint64_t{entry.entry} * chm_descriptor_bytes,
                            entry.bytes, chm_descriptor_bytes, delay)) {
            m_context.observer->fault(chm_internal, "fetching a descriptor was refused");
            return;
        }
        const uint64_t read = kernel::cycle_after(delay, m_context.clock_khz);
        m_agenda.add(m_pipeline.fetched(start, read, chm_descriptor_bytes),
                     {due_kind::decode, 0, 0});
        m_fetched.push_back(entry);
        m_next_fetch = (m_next_fetch + 1) % m_registers.depth;
    }
}

void engine::decode(uint64_t now) {
    const fetched_entry entry = m_fetched.front();
    m_fetched.pop_front();
    m_registers.head = (entry.entry + 1) % m_registers.depth;
    m_context.host->ring_has_space(now);
    chm_descriptor descriptor = {};
    uint32_t bad_byte = 0;
    const std::string name = "die " + std::to_string(m_context.die) + " descriptor in ring entry " +
                             std::to_string(entry.entry);
    const chm_origin origin = {name.c_str(), 0, 0};
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status = chm_descriptor_decode(entry.bytes, &m_context.workload->tables,
                                                    &descriptor, &bad_byte, &origin, &diagnostics);
    const std::string text = chm_diagnostics_text(&diagnostics);
    chm_diagnostics_free(&diagnostics);
    if (status != chm_ok) {
        refuse(entry.entry, bad_byte, text);
    } else if (descriptor.seq >= m_context.workload->operation_count ||
               chm_window_push(m_window, &descriptor) != chm_ok) {
        refuse(entry.entry, chm_desc_seq,
               name + ": field 'seq' at byte 4: got " + std::to_string(descriptor.seq) +
                   "; allowed: more than the descriptor before it and an operation of the list\n");
    } else {
        ++m_registers.fetched;
        m_decoded_at[descriptor.seq] = now;
        take_decisions(now);
    }
}

void engine::refuse(uint32_t entry, uint32_t byte, const std::string& text) {
    m_registers.report_error(entry, byte);
    m_context.observer->malformed_descriptor(m_context.die, entry, text);
}

void engine::stream_ended(uint64_t now) {
    m_stream_ended = true;
    m_wakeup.at(now);
}

void engine::host_fault(chm_status status, const std::string& text) {
    m_context.observer->fault(status, text);
}

// Software has said that nothing follows and everything it queued is in the window.
void engine::try_drain(uint64_t now) {
    if (m_stream_ended && !m_drained && m_agenda.empty() && m_fetched.empty() &&
        m_next_fetch == m_registers.tail) {
        m_drained = true;
        chm_window_drain(m_window);
        take_decisions(now);
    }
}

void engine::take_decisions(uint64_t now) {
    chm_decided_run made = {};
    while (chm_window_pop(m_window, &made)) {
        decided(made, now);
    }
}

void engine::decided(const chm_decided_run& made, uint64_t now) {
    std::string fault;
    run_recipe* recipe = m_context.recipes->find(*made.run, fault);
    if (recipe == nullptr) {
        m_context.observer->fault(chm_unsupported, fault);
        return;
    }
    const bool takes_part = recipe->takes_part(m_context.die);
    if (!m_context.decisions->record(m_context.die,
                                     {recipe, made.run->key, made.end_rule, takes_part}, fault)) {
        m_context.observer->fault(chm_mismatch, fault);
        return;
    }
    auto run = std::make_unique<run_instance>();
    run->recipe = recipe;
    run->seq = recipe->seq();
    planning_work work;
    if (takes_part) {
        run->program = &recipe->program(m_context.die);
        work = work_of(*run->program);
    }
    work.members = made.run->count;
    const uint64_t cycle = m_pipeline.issue(now, work);
    if (m_trace != nullptr && takes_part) {
        tell_decided(*run, now);
    }
    m_planned_descriptors += made.run->count;
    m_planned.push_back(run.get());
    m_runs.push_back(std::move(run));
    m_agenda.add(cycle, {due_kind::issue, 0, 0});
    m_wakeup.at(cycle);
}

} // namespace chimera::fusion
