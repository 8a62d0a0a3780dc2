// Functions of the C library that allocate, replaced by ones that count. Libraries call them too, libsaltus included.
#include "allocations.hpp"

#include <cerrno>
#include <cstddef>

extern "C" {
void * __libc_malloc(std::size_t size);
void * __libc_calloc(std::size_t count, std::size_t size);
void * __libc_realloc(void * block, std::size_t size);
void * __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace
{
thread_local std::uint64_t count = 0;
}

std::uint64_t allocations() {return count;}

extern "C" {

void * malloc(std::size_t size) noexcept
{
  ++count;
  return __libc_malloc(size);
}

void * calloc(std::size_t members, std::size_t size) noexcept
{
  ++count;
  return __libc_calloc(members, size);
}

void * realloc(void * block, std::size_t size) noexcept
{
  ++count;
  return __libc_realloc(block, size);
}

void * aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
  ++count;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void ** place, std::size_t alignment, std::size_t size) noexcept
{
  ++count;
  *place = __libc_memalign(alignment, size);
  return *place == nullptr ? ENOMEM : 0;
}

}  // extern "C"
