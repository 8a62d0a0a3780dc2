#include "rcutils/types/uint8_array.h"

#include "rcutils/error_handling.h"

rcutils_uint8_array_t rcutils_get_zero_initialized_uint8_array()
{
  return {nullptr, 0, 0, rcutils_get_zero_initialized_allocator()};
}

rcutils_ret_t rcutils_uint8_array_init(
  rcutils_uint8_array_t * uint8_array, size_t buffer_capacity, const rcutils_allocator_t * allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(uint8_array, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  void * buffer = nullptr;
  if (buffer_capacity > 0) {
    buffer = allocator->allocate(buffer_capacity, allocator->state);
    RCUTILS_CHECK_FOR_NULL_WITH_MSG(buffer, "no memory for an array of bytes", return RCUTILS_RET_BAD_ALLOC);
  }
  *uint8_array = {static_cast<uint8_t *>(buffer), 0, buffer_capacity, *allocator};
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_uint8_array_fini(rcutils_uint8_array_t * uint8_array)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(uint8_array, RCUTILS_RET_INVALID_ARGUMENT);
  const rcutils_allocator_t * allocator = &uint8_array->allocator;
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  allocator->deallocate(uint8_array->buffer, allocator->state);
  uint8_array->buffer = nullptr;
  uint8_array->buffer_length = 0;
  uint8_array->buffer_capacity = 0;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_uint8_array_resize(rcutils_uint8_array_t * uint8_array, size_t new_size)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(uint8_array, RCUTILS_RET_INVALID_ARGUMENT);
  const rcutils_allocator_t * allocator = &uint8_array->allocator;
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  if (new_size == 0) {
    RCUTILS_SET_ERROR_MSG("can't resize an array of bytes to 0");
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  if (new_size == uint8_array->buffer_capacity) {
    return RCUTILS_RET_OK;
  }
  void * buffer = allocator->reallocate(uint8_array->buffer, new_size, allocator->state);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(buffer, "no memory to resize an array of bytes", return RCUTILS_RET_BAD_ALLOC);
  uint8_array->buffer = static_cast<uint8_t *>(buffer);
  uint8_array->buffer_capacity = new_size;
  if (uint8_array->buffer_length > new_size) {
    uint8_array->buffer_length = new_size;
  }
  return RCUTILS_RET_OK;
}
