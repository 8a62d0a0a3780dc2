// An allocator that fails after a number of allocations.
#ifndef FAILING_ALLOCATOR_HPP_
#define FAILING_ALLOCATOR_HPP_

#include <cstdlib>

#include "rcutils/allocator.h"

/** Fails each allocation after the first `successes`. */
inline rcutils_allocator_t failing_allocator(int * successes)
{
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  allocator.state = successes;
  allocator.allocate = [](size_t size, void * state) -> void * {
      return (*static_cast<int *>(state))-- > 0 ? std::malloc(size) : nullptr;
    };
  allocator.zero_allocate = [](size_t count, size_t size, void * state) -> void * {
      return (*static_cast<int *>(state))-- > 0 ? std::calloc(count, size) : nullptr;
    };
  allocator.reallocate = [](void * pointer, size_t size, void * state) -> void * {
      return (*static_cast<int *>(state))-- > 0 ? std::realloc(pointer, size) : nullptr;
    };
  return allocator;
}

#endif
