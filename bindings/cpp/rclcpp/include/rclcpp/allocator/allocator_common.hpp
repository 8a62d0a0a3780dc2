#ifndef RCLCPP__ALLOCATOR__ALLOCATOR_COMMON_HPP_
#define RCLCPP__ALLOCATOR__ALLOCATOR_COMMON_HPP_

#include <cstring>
#include <memory>
#include <stdexcept>

#include "rcl/allocator.h"

namespace rclcpp
{
namespace allocator
{

template<typename T, typename Alloc>
using AllocRebind = typename std::allocator_traits<Alloc>::template rebind_traits<T>;

// The functions of an allocator of C, whose `untyped_allocator` is an allocator of C++.

template<typename Alloc>
void * retyped_allocate(size_t size, void * untyped_allocator)
{
  auto * allocator = static_cast<Alloc *>(untyped_allocator);
  if (allocator == nullptr) {
    throw std::runtime_error("Received incorrect allocator type");
  }
  return std::allocator_traits<Alloc>::allocate(*allocator, size);
}

template<typename Alloc>
void * retyped_zero_allocate(size_t number_of_elem, size_t size_of_elem, void * untyped_allocator)
{
  const size_t size = number_of_elem * size_of_elem;
  void * memory = retyped_allocate<Alloc>(size, untyped_allocator);
  if (memory != nullptr) {
    std::memset(memory, 0, size);
  }
  return memory;
}

template<typename T, typename Alloc>
void retyped_deallocate(void * untyped_pointer, void * untyped_allocator)
{
  auto * allocator = static_cast<Alloc *>(untyped_allocator);
  if (allocator == nullptr) {
    throw std::runtime_error("Received incorrect allocator type");
  }
  std::allocator_traits<Alloc>::deallocate(*allocator, static_cast<T *>(untyped_pointer), 1);
}

template<typename T, typename Alloc>
void * retyped_reallocate(void * untyped_pointer, size_t size, void * untyped_allocator)
{
  retyped_deallocate<T, Alloc>(untyped_pointer, untyped_allocator);
  return retyped_allocate<Alloc>(size, untyped_allocator);
}

/// Returns the functions with which C code gets memory. Saltus always uses the default ones.
template<typename T, typename Alloc>
rcl_allocator_t get_rcl_allocator(Alloc &)
{
  return rcl_get_default_allocator();
}

}  // namespace allocator
}  // namespace rclcpp

#endif  // RCLCPP__ALLOCATOR__ALLOCATOR_COMMON_HPP_
