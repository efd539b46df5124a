// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace chimera::fabric {

// Raw memory for a pool, for objects that need no constructor. Large pieces lie in huge pages where
// the system has them: a large machine goes through its chunks in no order that a table of small
// pages could keep up with. Throws std::bad_alloc.
class lt_slab {
public:
    static constexpr size_t huge_page = size_t(1) << 21;
    static constexpr size_t alignment = 512;

    explicit lt_slab(size_t bytes)
        : m_alignment{bytes >= huge_page ? huge_page : alignment},
          m_memory(::operator new(bytes, m_alignment)) {
#ifdef MADV_HUGEPAGE
        if (bytes >= huge_page) {
            madvise(m_memory, bytes, MADV_HUGEPAGE); // refused: small pages will do
        }
#endif
    }
    ~lt_slab() {
        ::operator delete(m_memory, m_alignment);
    }
    lt_slab(lt_slab&& other) noexcept
        : m_alignment(other.m_alignment), m_memory(std::exchange(other.m_memory, nullptr)) {}
    lt_slab& operator=(lt_slab&&) = delete;

    void* memory() const {
        return m_memory;
    }

private:
    std::align_val_t m_alignment;
    void* m_memory;
};

} // namespace chimera::fabric
