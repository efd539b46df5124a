// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/base/random.h"
#include "hw/die/value_content.h"
#include "hw/dma/dma_run.h"
#include "hw/dma/message_format.h"
#include "hw/fusion/run_recipe.h"
#include "hw/memory/value_store.h"

namespace chimera::test {

// Executes one run on all its dies without a kernel and without time: everything that may happen
// next (a packet arrives, a transfer is applied, a send is over, an operation runs, an input or a
// buffer becomes ready, a credit arrives) happens in an order drawn from the seed.
class plan_shuffler {
public:
    plan_shuffler(fusion::run_recipe& recipe, const chm_workload& workload, const chm_truth& truth,
                  std::vector<std::unique_ptr<memory::value_store>>& stores, bool credits,
                  uint64_t seed)
        : m_recipe(recipe), m_workload(workload), m_truth(truth), m_stores(stores), m_seed(seed),
          m_adder(256) {
        for (uint32_t die = 0; die < workload.dies; ++die) {
            m_sides.push_back(std::make_unique<side>(*this, die));
            if (!recipe.takes_part(die)) {
                m_sides.back()->done = true;
                continue;
            }
            dma::run_setup setup;
            setup.seq = recipe.seq();
            setup.program = &recipe.program(die);
            setup.credits = credits;
            m_sides.back()->run.reset(setup, *m_sides.back(), m_adder, true, &truth);
            m_actions.push_back({action::start, die});
            m_actions.push_back({action::ready, die});
        }
    }

    // "" if every die delivered equal data and finished.
    std::string run() {
        while (!m_actions.empty()) {
            const size_t pick = chm_hash2(m_seed, ++m_drawn) % m_actions.size();
            const action next = m_actions[pick];
            m_actions.erase(m_actions.begin() + static_cast<std::ptrdiff_t>(pick));
            perform(next);
        }
        for (const auto& each : m_sides) {
            if (!each->done && m_fault.empty()) {
                m_fault = "die " + std::to_string(each->die) + ": " + each->run.describe();
            }
        }
        return m_fault;
    }

    uint64_t packets() const { return m_packets; }

private:
    struct side : dma::run_host {
        side(plan_shuffler& owner_, uint32_t die_) : owner(owner_), die(die_) {}

        void post_transfer(dma::dma_run&, uint32_t outgoing) override {
            owner.post(*this, outgoing);
        }
        void apply_at(dma::dma_run&, uint32_t incoming, uint64_t) override {
            owner.m_actions.push_back({action::apply, die, incoming});
        }
        void operation_may_run(dma::dma_run&, uint32_t operation) override {
            owner.m_actions.push_back({action::operate, die, operation});
        }
        void delivered(dma::dma_run&) override { owner.deliver(*this); }
        void finished(dma::dma_run&) override { done = true; }

        plan_shuffler& owner;
        uint32_t die;
        dma::dma_run run;
        bool done = false;
    };
    struct action {
        enum what { start, ready, credit, packet, apply, sent, operate } kind;
        uint32_t die;
        uint32_t index = 0; // credit: source; packet: in m_flight; else transfer or operation
    };
    struct flying {
        uint32_t incoming;
        fabric::packet item;
        std::vector<uint8_t> buffer;
    };

    void post(side& from, uint32_t outgoing) {
        std::vector<uint8_t> bytes;
        const dma::message_size size = from.run.take_message(outgoing, bytes);
        const dma::die_program& program = m_recipe.program(from.die);
        const uint32_t to = program.out(outgoing).destination;
        const uint32_t incoming = m_recipe.program(to).incoming_index(program.outgoing[outgoing]);
        const uint32_t parts = size.total() == 0 ? 1 : 3;
        for (uint32_t part = 0; part < parts; ++part) {
            flying one;
            one.incoming = incoming;
            one.item.index = part;
            one.item.last = part + 1 == parts;
            one.item.payload_bytes = static_cast<uint32_t>((part + 1) * size.payload / parts -
                                                           part * size.payload / parts);
            one.buffer.resize(dma::part_buffer_bytes(bytes.size()));
            dma::put_part(one.buffer.data(), bytes, part, parts);
            m_actions.push_back({action::packet, to, static_cast<uint32_t>(m_flight.size())});
            m_flight.push_back(std::move(one));
            ++m_packets;
        }
        m_actions.push_back({action::sent, from.die, outgoing});
    }

    void perform(const action& next) {
        side& here = *m_sides[next.die];
        std::string fault;
        switch (next.kind) {
        case action::start: start(here); break;
        case action::ready:
            for (uint32_t source : here.run.setup().program->sources) {
                m_actions.push_back({action::credit, source, next.die});
            }
            here.run.ready_to_receive(0);
            break;
        case action::credit: here.run.credit(next.index, 0); break;
        case action::packet: {
            flying& one = m_flight[next.index];
            one.item.data = one.buffer.data();
            here.run.arrived(one.incoming, one.item, 0, 0);
            break;
        }
        case action::apply:
            if (!here.run.apply(next.index, 0, fault)) {
                m_fault = fault;
            }
            break;
        case action::sent: here.run.sent(next.index, 0); break;
        case action::operate: {
            const uint32_t seq = m_recipe.plan().operations[next.index].seq;
            here.run.data().operate(next.index, m_workload.operations[seq]);
            here.run.operation_done(next.index, 0);
            break;
        }
        }
    }

    void start(side& here) {
        memory::data_block input;
        if (here.run.setup().program->from_rank != CHM_NO_RANK &&
            !m_stores[here.die]->read(m_recipe.input_value(), *m_recipe.plan().from, input)) {
            m_fault = "the input is not there on die " + std::to_string(here.die);
        }
        here.run.start(std::move(input), 0);
    }

    void deliver(side& here) {
        const chm_composition& composition = m_recipe.composition();
        for (uint32_t i = 0; i < composition.request.demand_count; ++i) {
            const chm_layout& layout = *composition.request.demands[i];
            const uint32_t rank = chm_mesh_rank(&layout.mesh, here.die);
            const uint32_t value = composition.demand_values[i];
            if (rank == CHM_NO_RANK || value == m_recipe.input_value()) {
                continue;
            }
            memory::data_block block =
                here.run.data().demand(layout, rank, m_workload.tables.values[value].producer);
            const std::string difference =
                die::compare_block(m_truth, m_workload.tables, value, layout, here.die, block);
            m_fault = m_fault.empty() ? difference : m_fault;
            m_stores[here.die]->add_block(value, std::move(block));
        }
    }

    fusion::run_recipe& m_recipe;
    const chm_workload& m_workload;
    const chm_truth& m_truth;
    std::vector<std::unique_ptr<memory::value_store>>& m_stores;
    uint64_t m_seed, m_drawn = 0, m_packets = 0;
    dma::reduce_unit m_adder;
    std::vector<std::unique_ptr<side>> m_sides;
    std::vector<action> m_actions;
    std::vector<flying> m_flight;
    std::string m_fault;
};

} // namespace chimera::test
