#include "rcutils/allocator.h"

#include <cstdlib>

#include "rcutils/error_handling.h"

namespace
{

void * allocate(size_t size, void *) {return std::malloc(size);}

void deallocate(void * pointer, void *) {std::free(pointer);}

void * reallocate(void * pointer, size_t size, void *) {return std::realloc(pointer, size);}

void * zero_allocate(size_t number_of_elements, size_t size_of_element, void *)
{
  return std::calloc(number_of_elements, size_of_element);
}

}  // namespace

rcutils_allocator_t rcutils_get_zero_initialized_allocator()
{
  return {nullptr, nullptr, nullptr, nullptr, nullptr};
}

rcutils_allocator_t rcutils_get_default_allocator()
{
  return {allocate, deallocate, reallocate, zero_allocate, nullptr};
}

bool rcutils_allocator_is_valid(const rcutils_allocator_t * allocator)
{
  return allocator && allocator->allocate && allocator->deallocate && allocator->reallocate &&
         allocator->zero_allocate;
}

void * rcutils_reallocf(void * pointer, size_t size, rcutils_allocator_t * allocator)
{
  if (!rcutils_allocator_is_valid(allocator)) {
    rcutils_write_to_stderr("rcutils_reallocf: the allocator is not valid\n");
    return nullptr;
  }
  void * moved = allocator->reallocate(pointer, size, allocator->state);
  if (!moved) {
    allocator->deallocate(pointer, allocator->state);
  }
  return moved;
}
