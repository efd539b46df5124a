// SPDX-License-Identifier: Apache-2.0
#include "hw/die/die.h"

#include <algorithm>
#include <utility>

#include "hw/die/value_content.h"

namespace chimera::die {

die::die(const sc_core::sc_module_name& name, const die_context& context, uint32_t id,
         fabric::network_port& network)
    : sc_module(name), m_context(context), m_id(id),
      m_values(*context.uses, id, context.truth != nullptr) {
    const chm_parameters& parameters = *context.parameters;
    m_values.set_watcher(context.recorder);
    m_memory = std::make_unique<memory::memory>("memory", parameters.memory, context.clock_khz,
                                                parameters.engine.ring_entries *
                                                    uint64_t{chm_descriptor_bytes});

    dma::dma_context mover;
    mover.die = id;
    mover.clock_khz = context.clock_khz;
    mover.parameters = &parameters;
    mover.network = &network;
    mover.packets = context.packets;
    mover.truth = context.truth;
    mover.recorder = context.recorder;
    mover.ideal_memory = m_memory->ideal();
    m_dma = std::make_unique<dma::dma>("dma", mover);

    compute::array_context array;
    array.clock_khz = context.clock_khz;
    array.params = &parameters.compute;
    array.values = &m_values;
    array.meter = &m_meter;
    array.results = context.truth != nullptr ? this : nullptr;
    m_array = std::make_unique<compute::systolic_array>("array", array);

    compute::host_context host;
    host.die = id;
    host.clock_khz = context.clock_khz;
    host.params = &parameters.engine;
    host.workload = context.workload;
    host.values = &m_values;
    host.array = m_array.get();
    host.injected = context.injected;
    m_host = std::make_unique<compute::host>("host", host);

    fusion::engine_context engine;
    engine.die = id;
    engine.clock_khz = context.clock_khz;
    engine.parameters = &parameters;
    engine.workload = context.workload;
    engine.values = &m_values;
    engine.mover = m_dma.get();
    engine.array = m_array.get();
    engine.host = m_host.get();
    engine.meter = &m_meter;
    engine.recipes = context.recipes;
    engine.decisions = context.decisions;
    engine.observer = context.observer;
    engine.recorder = context.recorder;
    m_engine = std::make_unique<fusion::engine>("engine", engine);

    m_host->set_client(m_engine.get());
    m_dma->set_client(m_engine.get());
    network.set_client(m_dma.get());
    bind_links();
    if (context.truth != nullptr) {
        load_inputs();
    }
}

void die::bind_links() {
    const link_binder direct = [](initiator_socket& from, target_socket& to, const char*) {
        from.bind(to);
        return std::shared_ptr<void>();
    };
    const link_binder& bind = m_context.bind != nullptr ? *m_context.bind : direct;
    m_links = {
        bind(m_host->mem, m_memory->in, "host_mem"), bind(m_host->ctl, m_engine->ctl, "host_ctl"),
        bind(m_engine->mem, m_memory->in, "engine_mem"), bind(m_dma->mem, m_memory->in, "dma_mem")};
}

void die::load_inputs() {
    const chm_tables& tables = m_context.workload->tables;
    for (uint32_t value = 0; value < tables.value_count; ++value) {
        if (tables.values[value].producer == CHM_NONE && m_values.ready(value)) {
            m_values.add_block(value, input_block(*m_context.truth, tables, value, m_id));
        }
    }
}

void die::make_result(const chm_operation& operation, uint64_t now) {
    const chm_tables& tables = m_context.workload->tables;
    const chm_layout& layout = tables.layouts[tables.values[operation.result].layout];
    if (chm_mesh_rank(&layout.mesh, m_id) == CHM_NO_RANK) {
        return;
    }
    memory::data_block block = result_block(*m_context.truth, tables, operation, m_values);
    m_context.observer->value_delivered(m_id, operation.result, layout, &block, now);
    m_values.add_block(operation.result, std::move(block));
}

void die::set_observer(trace::observer* observer, uint64_t now) {
    m_engine->set_observer(observer, now);
    m_host->set_observer(observer, now);
    m_array->set_observer(observer, now);
    m_dma->set_observer(observer, now);
}

bool die::finished() const {
    return m_host->finished() && m_array->idle() && m_engine->idle() && m_dma->idle();
}

bool die::timed_work_pending() const {
    return m_host->timed_work_pending() || m_array->timed_work_pending() ||
           m_engine->timed_work_pending() || m_dma->timed_work_pending();
}

uint64_t die::last_completion() const {
    return std::max(
        {m_array->last_completion(), m_engine->last_completion(), m_dma->last_completion()});
}

void die::describe_stuck(std::string& text) const {
    m_host->describe_stuck(text);
    m_array->describe_stuck(text);
    m_engine->describe_stuck(text);
    m_dma->describe_stuck(text);
}

} // namespace chimera::die
