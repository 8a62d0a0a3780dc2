#include "rcutils/types/array_list.h"

#include <cstdint>
#include <cstring>

#include "rcutils/error_handling.h"

struct rcutils_array_list_impl_s
{
  uint8_t * data;
  size_t size;
  size_t capacity;
  size_t element_size;
  rcutils_allocator_t allocator;
};

namespace
{

using Impl = rcutils_array_list_impl_s;

rcutils_ret_t check(const rcutils_array_list_t * list)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(list, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(
    list->impl, "the array list is not initialized", return RCUTILS_RET_NOT_INITIALIZED);
  return RCUTILS_RET_OK;
}

rcutils_ret_t check_index(const rcutils_array_list_t * list, size_t index)
{
  const rcutils_ret_t ret = check(list);
  if (ret == RCUTILS_RET_OK && index >= list->impl->size) {
    RCUTILS_SET_ERROR_MSG("the index is out of the range of the array list");
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  return ret;
}

uint8_t * element(const Impl * impl, size_t index) {return impl->data + index * impl->element_size;}

rcutils_ret_t grow(Impl * impl)
{
  const size_t capacity = 2 * impl->capacity;
  void * moved = impl->allocator.reallocate(impl->data, capacity * impl->element_size, impl->allocator.state);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(moved, "no memory for an array list", return RCUTILS_RET_BAD_ALLOC);
  impl->data = static_cast<uint8_t *>(moved);
  impl->capacity = capacity;
  return RCUTILS_RET_OK;
}

}  // namespace

rcutils_array_list_t rcutils_get_zero_initialized_array_list() {return {nullptr};}

rcutils_ret_t rcutils_array_list_init(
  rcutils_array_list_t * array_list, size_t initial_capacity, size_t data_size,
  const rcutils_allocator_t * allocator)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(array_list, RCUTILS_RET_INVALID_ARGUMENT);
  if (array_list->impl || initial_capacity == 0 || data_size == 0 || initial_capacity > SIZE_MAX / data_size) {
    RCUTILS_SET_ERROR_MSG("the array list is initialized already, or its capacity or the size of an element is 0");
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  auto impl = static_cast<Impl *>(allocator->allocate(sizeof(Impl), allocator->state));
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(impl, "no memory for an array list", return RCUTILS_RET_BAD_ALLOC);
  void * data = allocator->allocate(initial_capacity * data_size, allocator->state);
  if (!data) {
    allocator->deallocate(impl, allocator->state);
    RCUTILS_SET_ERROR_MSG("no memory for the elements of an array list");
    return RCUTILS_RET_BAD_ALLOC;
  }
  *impl = {static_cast<uint8_t *>(data), 0, initial_capacity, data_size, *allocator};
  array_list->impl = impl;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_array_list_fini(rcutils_array_list_t * array_list)
{
  const rcutils_ret_t ret = check(array_list);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  const rcutils_allocator_t allocator = array_list->impl->allocator;
  allocator.deallocate(array_list->impl->data, allocator.state);
  allocator.deallocate(array_list->impl, allocator.state);
  array_list->impl = nullptr;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_array_list_add(rcutils_array_list_t * array_list, const void * data)
{
  rcutils_ret_t ret = check(array_list);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(data, RCUTILS_RET_INVALID_ARGUMENT);
  Impl * impl = array_list->impl;
  if (impl->size == impl->capacity) {
    ret = grow(impl);
    if (ret != RCUTILS_RET_OK) {
      return ret;
    }
  }
  std::memcpy(element(impl, impl->size), data, impl->element_size);
  ++impl->size;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_array_list_set(rcutils_array_list_t * array_list, size_t index, const void * data)
{
  const rcutils_ret_t ret = check_index(array_list, index);
  if (ret == RCUTILS_RET_OK) {
    RCUTILS_CHECK_ARGUMENT_FOR_NULL(data, RCUTILS_RET_INVALID_ARGUMENT);
    std::memcpy(element(array_list->impl, index), data, array_list->impl->element_size);
  }
  return ret;
}

rcutils_ret_t rcutils_array_list_remove(rcutils_array_list_t * array_list, size_t index)
{
  const rcutils_ret_t ret = check_index(array_list, index);
  if (ret == RCUTILS_RET_OK) {
    Impl * impl = array_list->impl;
    const size_t behind = impl->size - index - 1;
    std::memmove(element(impl, index), element(impl, index + 1), behind * impl->element_size);
    --impl->size;
  }
  return ret;
}

rcutils_ret_t rcutils_array_list_get(const rcutils_array_list_t * array_list, size_t index, void * data)
{
  const rcutils_ret_t ret = check_index(array_list, index);
  if (ret == RCUTILS_RET_OK) {
    RCUTILS_CHECK_ARGUMENT_FOR_NULL(data, RCUTILS_RET_INVALID_ARGUMENT);
    std::memcpy(data, element(array_list->impl, index), array_list->impl->element_size);
  }
  return ret;
}

rcutils_ret_t rcutils_array_list_get_size(const rcutils_array_list_t * array_list, size_t * size)
{
  const rcutils_ret_t ret = check(array_list);
  if (ret == RCUTILS_RET_OK) {
    RCUTILS_CHECK_ARGUMENT_FOR_NULL(size, RCUTILS_RET_INVALID_ARGUMENT);
    *size = array_list->impl->size;
  }
  return ret;
}
