// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "tests/support/plan_definitions.h"
#include "tests/support/plan_interpreter.h"

// The least sends of a request, and who must hold what when a plan has run.

namespace chimera::test {

chm_rect block_of(const chm_layout& layout, const chm_tensor& tensor, std::uint32_t rank) {
    auto at = coordinates_of(layout, rank);
    std::uint64_t begin[2] = {0, 0};
    std::uint64_t length[2] = {tensor.tokens, tensor.width};
    for (std::uint32_t order = 0; order < layout.mesh.dimensions; ++order) {
        for (std::uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
            const auto& place = layout.placement[d];
            if (place.kind != chm_place_shard || place.order != order) {
                continue;
            }
            auto parts = layout.mesh.extent[d];
            auto axis = static_cast<int>(place.axis);
            std::uint64_t start = 0;
            for (std::uint32_t i = 0; i < at[d]; ++i) {
                start += length[axis] / parts + (i < length[axis] % parts ? 1 : 0);
            }
            auto size = length[axis] / parts + (at[d] < length[axis] % parts ? 1 : 0);
            begin[axis] += start;
            length[axis] = size;
        }
    }
    return {begin[0], begin[0] + length[0], begin[1], begin[1] + length[1]};
}

std::uint64_t least_bytes(const chm_request& request) {
    std::uint64_t sends = 0;
    const chm_layout& from = *request.from;
    bool partial = addend_of(from, 0).second > 1;
    for_each_element({0, request.tensor.tokens, 0, request.tensor.width}, [&](auto t, auto c) {
        std::set<std::uint32_t> holders, needers, addends;
        for (std::uint32_t r = 0; r < ranks_of(from); ++r) {
            if (rank_has(request, from, r, t, c)) {
                holders.insert(from.mesh.dies[r]);
                addends.insert(addend_of(from, r).first);
            }
        }
        for (std::uint32_t d = 0; d < request.demand_count; ++d) {
            const chm_layout& to = *request.demands[d];
            for (std::uint32_t r = 0; r < ranks_of(to); ++r) {
                if (rank_has(request, to, r, t, c)) {
                    needers.insert(to.mesh.dies[r]);
                }
            }
        }
        std::uint64_t without = 0;
        for (auto die : needers) {
            without += holders.count(die) == 0;
        }
        if (!partial || needers.empty()) {
            sends += without;
        } else {
            sends += addends.size() - 1 + needers.size() - 1 + (without == needers.size());
        }
    });
    return sends * request.tensor.element_bytes;
}

void plan_interpreter::check_demand(const chm_layout& demand) {
    // Demands with addends are checked as blocks of complete data: embedding adds zeros.
    for (std::uint32_t r = 0; r < ranks_of(demand); ++r) {
        auto& die = m_dies[demand.mesh.dies[r]];
        for_each_element(block_of(demand, m_request.tensor, r), [&](auto token, auto column) {
            auto k = key(token, column);
            element_value value;
            if (auto found = die.work.find(k); found != die.work.end()) {
                value = found->second;
            } else if (auto own = die.input.find(k); own != die.input.end()) {
                value = own->second;
            }
            if (value.addends != full(token) || value.version != final_version()) {
                fault("die " + std::to_string(demand.mesh.dies[r]) + " lacks element (" +
                      std::to_string(token) + ", " + std::to_string(column) + ")");
            }
        });
    }
}

// What an operation changed was there before, complete, on the same die.
void plan_interpreter::check_kept(const chm_layout& demand, unsigned version) {
    for (std::uint32_t r = 0; r < ranks_of(demand); ++r) {
        auto& was = m_dies[demand.mesh.dies[r]].before[version];
        for_each_element(block_of(demand, m_request.tensor, r), [&](auto token, auto column) {
            auto found = was.find(key(token, column));
            if (found == was.end() || found->second.addends != full(token)) {
                fault("die " + std::to_string(demand.mesh.dies[r]) + " never had element (" +
                      std::to_string(token) + ", " + std::to_string(column) + ") of version " +
                      std::to_string(version));
            }
        });
    }
}

void plan_interpreter::check_routed(const chm_layout& demand) {
    for (std::uint64_t token = 0; token < m_request.tensor.tokens; ++token) {
        auto to = targets(demand, token);
        for (std::uint32_t r = 0; r < ranks_of(demand); ++r) {
            auto id = demand.mesh.dies[r];
            auto& die = m_dies[id];
            bool wanted = std::find(to.begin(), to.end(), id) != to.end();
            for (std::uint64_t c = 0; c < m_request.tensor.width; ++c) {
                auto k = key(token, c);
                unsigned copies = 0;
                for (const auto& [transfer, rows] : die.slots) {
                    auto found = rows.find(k);
                    if (found == rows.end()) {
                        continue;
                    }
                    ++copies;
                    if (found->second.addends != full(token) ||
                        found->second.version != final_version()) {
                        fault("an incomplete row was dispatched");
                    }
                }
                auto work = die.work.find(k);
                auto input = die.input.find(k);
                const element_value* own = work != die.work.end()     ? &work->second
                                           : input != die.input.end() ? &input->second
                                                                      : nullptr;
                bool has = own != nullptr && own->addends == full(token) &&
                           own->version == final_version();
                if (copies > 1 || (copies == 1 && !wanted) || (wanted && copies == 0 && !has)) {
                    fault("die " + std::to_string(id) + " has " + std::to_string(copies) +
                          " copies of row " + std::to_string(token));
                }
            }
        }
    }
}

} // namespace chimera::test
