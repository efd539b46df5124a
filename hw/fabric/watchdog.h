// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hw/fabric/fabric.h"
#include "hw/kernel/context.h"

namespace chimera::fabric {

// What the watchdog asks of those who use the fabric.
class watched_work {
public:
    virtual ~watched_work() = default;
    virtual bool finished() const = 0;
    // A compute or another event with a known time is under way, so that silence is no fault.
    virtual bool timed_work_pending() const = 0;
    // Appends lines that say what is unfinished and what it waits for.
    virtual void describe_unfinished(std::string& text) const = 0;
};

// Inside an entry of the context: runs until `work` has finished and nothing is pending, or until
// `until_ps` (and what is due at it). chm_deadlock when unfinished work remains and no event is
// pending, or nothing moved for watchdog_cycles, times the cycles per flit of the slowest link,
// while no timed work was pending: the text names the stuck packets and what they wait for.
// chm_unreachable if a die has failed by then or something could not be sent: the text names what
// failed, who cannot reach whom, and what is unfinished. chm_bad_argument when elaboration found
// faults in links.
kernel::run_result run_watched(kernel::context& context, fabric& network, watched_work& work,
                               uint64_t until_ps = UINT64_MAX);

} // namespace chimera::fabric
