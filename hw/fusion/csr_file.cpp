// SPDX-License-Identifier: Apache-2.0
#include "hw/fusion/csr_file.h"

namespace chimera::fusion {

bool csr_file::read(uint64_t address, uint32_t& value) const {
    switch (address) {
    case chm_csr_head: value = head; return true;
    case chm_csr_tail: value = tail; return true;
    case chm_csr_depth: value = depth; return true;
    case chm_csr_enable: value = enable; return true;
    case chm_csr_interrupt: value = interrupt; return true;
    case chm_csr_error: value = error; return true;
    case chm_csr_window_max: value = window_max; return true;
    default: break;
    }
    const uint64_t counters[] = {fetched, fused, eliminated, asked, moved};
    if (address < chm_csr_fetched || address >= chm_csr_bytes || address % 4 != 0) {
        return false;
    }
    const uint64_t counter = counters[(address - chm_csr_fetched) / 8];
    value = static_cast<uint32_t>(address % 8 == 0 ? counter : counter >> 32);
    return true;
}

csr_file::effect csr_file::write(uint64_t address, uint32_t value) {
    switch (address) {
    case chm_csr_doorbell: return value < depth ? effect::doorbell : effect::refused;
    case chm_csr_enable: enable = value & 1u; return effect::enabled;
    case chm_csr_interrupt: interrupt &= ~value; return effect::none;
    case chm_csr_error: error = (value & 0x80000000u) != 0 ? 0 : error; return effect::none;
    default: return effect::refused;
    }
}

void csr_file::report_error(uint32_t entry, uint32_t byte) {
    if ((error & 0x80000000u) == 0) {
        error = 0x80000000u | (byte & 0xffu) << 8 | (entry & 0xffu);
    }
    interrupt |= 1u;
}

} // namespace chimera::fusion
