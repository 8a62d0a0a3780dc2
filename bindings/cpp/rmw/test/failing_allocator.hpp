#ifndef FAILING_ALLOCATOR_HPP_
#define FAILING_ALLOCATOR_HPP_

#include <cstdlib>

#include "rcutils/allocator.h"

/// Counts what is allocated, and fails when the allocations are used up.
class CountingAllocator
{
public:
  /// Allows so many allocations.
  explicit CountingAllocator(int allowed = 1000000)
  : allowed_(allowed) {}

  rcutils_allocator_t get()
  {
    return {&allocate, &deallocate, &reallocate, &zero_allocate, this};
  }

  /// Returns the number of blocks that were not freed.
  int live() const {return live_;}

private:
  static CountingAllocator & self(void * state) {return *static_cast<CountingAllocator *>(state);}

  static void * allocate(size_t size, void * state)
  {
    return self(state).count(std::malloc(size));
  }

  static void * zero_allocate(size_t count, size_t size, void * state)
  {
    return self(state).count(std::calloc(count, size));
  }

  static void * reallocate(void * pointer, size_t size, void * state)
  {
    if (self(state).allowed_-- <= 0) {
      return nullptr;
    }
    self(state).live_ += pointer ? 0 : 1;
    return std::realloc(pointer, size);
  }

  static void deallocate(void * pointer, void * state)
  {
    self(state).live_ -= pointer ? 1 : 0;
    std::free(pointer);
  }

  void * count(void * pointer)
  {
    if (allowed_-- <= 0) {
      std::free(pointer);
      return nullptr;
    }
    ++live_;
    return pointer;
  }

  int allowed_;
  int live_ = 0;
};

#endif
