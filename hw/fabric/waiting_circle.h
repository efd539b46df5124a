// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/fabric/router.h"

namespace chimera::fabric {

// A deadlock is a circle of packets each of which waits for the next one. Finds one among the heads
// of the routers' queues and says who waits where for what, a packet a line; "" if there is none.
std::string describe_circle(const chm_topology& topology,
                            const std::vector<std::unique_ptr<router>>& routers);

} // namespace chimera::fabric
