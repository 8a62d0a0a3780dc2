#include "rcutils/types/char_array.h"

#include <cstring>

#include "rcutils/error_handling.h"
#include "rcutils/snprintf.h"

namespace
{

// Sets a capacity above 0; keeps the content up to it.
rcutils_ret_t reallocate(rcutils_char_array_t * array, size_t capacity)
{
  const rcutils_allocator_t * allocator = &array->allocator;
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_ERROR);
  void * old = array->owns_buffer ? array->buffer : nullptr;
  auto buffer = static_cast<char *>(allocator->reallocate(old, capacity, allocator->state));
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(buffer, "no memory to resize an array of characters", return RCUTILS_RET_BAD_ALLOC);
  const size_t kept = array->buffer_length < capacity ? array->buffer_length : capacity;
  if (!array->owns_buffer && array->buffer && kept > 0) {
    std::memcpy(buffer, array->buffer, kept);
  }
  array->buffer = buffer;
  array->buffer_length = kept;
  array->buffer_capacity = capacity;
  array->owns_buffer = true;
  return RCUTILS_RET_OK;
}

}  // namespace

rcutils_char_array_t rcutils_get_zero_initialized_char_array()
{
  return {nullptr, true, 0, 0, rcutils_get_zero_initialized_allocator()};
}

rcutils_ret_t rcutils_char_array_init(
  rcutils_char_array_t * char_array, size_t buffer_capacity, const rcutils_allocator_t * allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(char_array, RCUTILS_RET_ERROR);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_ERROR);
  void * buffer = nullptr;
  if (buffer_capacity > 0) {
    // Zeroed, so that an array that was not written to is an empty string.
    buffer = allocator->zero_allocate(buffer_capacity, 1, allocator->state);
    RCUTILS_CHECK_FOR_NULL_WITH_MSG(buffer, "no memory for an array of characters", return RCUTILS_RET_BAD_ALLOC);
  }
  *char_array = {static_cast<char *>(buffer), true, 0, buffer_capacity, *allocator};
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_char_array_fini(rcutils_char_array_t * char_array)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(char_array, RCUTILS_RET_ERROR);
  if (char_array->owns_buffer) {
    const rcutils_allocator_t * allocator = &char_array->allocator;
    RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_ERROR);
    allocator->deallocate(char_array->buffer, allocator->state);
  }
  char_array->buffer = nullptr;
  char_array->buffer_length = 0;
  char_array->buffer_capacity = 0;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_char_array_resize(rcutils_char_array_t * char_array, size_t new_size)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(char_array, RCUTILS_RET_INVALID_ARGUMENT);
  if (new_size == 0) {
    RCUTILS_SET_ERROR_MSG("can't resize an array of characters to 0");
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  return new_size == char_array->buffer_capacity ? RCUTILS_RET_OK : reallocate(char_array, new_size);
}

rcutils_ret_t rcutils_char_array_expand_as_needed(rcutils_char_array_t * char_array, size_t new_size)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(char_array, RCUTILS_RET_INVALID_ARGUMENT);
  if (new_size <= char_array->buffer_capacity) {
    return RCUTILS_RET_OK;
  }
  // Half more than before, so that many small additions need few allocations.
  const size_t grown = char_array->buffer_capacity + char_array->buffer_capacity / 2;
  return rcutils_char_array_resize(char_array, grown > new_size ? grown : new_size);
}

rcutils_ret_t rcutils_char_array_vsprintf(rcutils_char_array_t * char_array, const char * format, va_list args)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(char_array, RCUTILS_RET_INVALID_ARGUMENT);
  va_list measured;
  va_copy(measured, args);
  const int length = rcutils_vsnprintf(nullptr, 0, format, measured);
  va_end(measured);
  if (length < 0) {
    RCUTILS_SET_ERROR_MSG("the format is not valid");
    return RCUTILS_RET_ERROR;
  }
  const size_t size = static_cast<size_t>(length) + 1;
  const rcutils_ret_t ret = rcutils_char_array_expand_as_needed(char_array, size);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  rcutils_vsnprintf(char_array->buffer, char_array->buffer_capacity, format, args);
  char_array->buffer_length = size;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_char_array_memcpy(rcutils_char_array_t * char_array, const char * src, size_t n)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(src, RCUTILS_RET_INVALID_ARGUMENT);
  const rcutils_ret_t ret = rcutils_char_array_expand_as_needed(char_array, n);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  if (n > 0) {
    std::memcpy(char_array->buffer, src, n);
  }
  char_array->buffer_length = n;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_char_array_strcpy(rcutils_char_array_t * char_array, const char * src)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(src, RCUTILS_RET_INVALID_ARGUMENT);
  return rcutils_char_array_memcpy(char_array, src, std::strlen(src) + 1);
}

rcutils_ret_t rcutils_char_array_strncat(rcutils_char_array_t * char_array, const char * src, size_t n)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(char_array, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(src, RCUTILS_RET_INVALID_ARGUMENT);
  // An empty array has no terminator yet.
  const size_t length = char_array->buffer_length == 0 ? 0 : char_array->buffer_length - 1;
  const size_t added = strnlen(src, n);
  const size_t size = length + added + 1;
  const rcutils_ret_t ret = rcutils_char_array_expand_as_needed(char_array, size);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  std::memcpy(char_array->buffer + length, src, added);
  char_array->buffer[size - 1] = '\0';
  char_array->buffer_length = size;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_char_array_strcat(rcutils_char_array_t * char_array, const char * src)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(src, RCUTILS_RET_INVALID_ARGUMENT);
  return rcutils_char_array_strncat(char_array, src, std::strlen(src));
}
