#include "rcutils/types/string_array.h"

#include <cstring>

#include "rcutils/error_handling.h"

namespace
{

// NULL comes after each string.
int compare(const char * lhs, const char * rhs)
{
  if (!lhs || !rhs) {
    return (lhs ? 0 : 1) - (rhs ? 0 : 1);
  }
  return std::strcmp(lhs, rhs);
}

}  // namespace

rcutils_string_array_t rcutils_get_zero_initialized_string_array()
{
  return {0, nullptr, rcutils_get_zero_initialized_allocator()};
}

rcutils_ret_t rcutils_string_array_init(
  rcutils_string_array_t * string_array, size_t size, const rcutils_allocator_t * allocator)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_array, RCUTILS_RET_INVALID_ARGUMENT);
  void * data = nullptr;
  if (size > 0) {
    data = allocator->zero_allocate(size, sizeof(char *), allocator->state);
    RCUTILS_CHECK_FOR_NULL_WITH_MSG(data, "no memory for an array of strings", return RCUTILS_RET_BAD_ALLOC);
  }
  *string_array = {size, static_cast<char **>(data), *allocator};
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_string_array_fini(rcutils_string_array_t * string_array)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_array, RCUTILS_RET_INVALID_ARGUMENT);
  if (!string_array->data) {
    return RCUTILS_RET_OK;
  }
  const rcutils_allocator_t * allocator = &string_array->allocator;
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  for (size_t index = 0; index < string_array->size; ++index) {
    allocator->deallocate(string_array->data[index], allocator->state);
  }
  allocator->deallocate(string_array->data, allocator->state);
  string_array->data = nullptr;
  string_array->size = 0;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_string_array_cmp(
  const rcutils_string_array_t * lhs, const rcutils_string_array_t * rhs, int * res)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(lhs, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(rhs, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(res, RCUTILS_RET_INVALID_ARGUMENT);
  const size_t shared = lhs->size < rhs->size ? lhs->size : rhs->size;
  for (size_t index = 0; index < shared; ++index) {
    if (!lhs->data[index] || !rhs->data[index]) {
      RCUTILS_SET_ERROR_MSG("can't compare NULL strings");
      return RCUTILS_RET_ERROR;
    }
    *res = std::strcmp(lhs->data[index], rhs->data[index]);
    if (*res != 0) {
      return RCUTILS_RET_OK;
    }
  }
  *res = (lhs->size > rhs->size ? 1 : 0) - (lhs->size < rhs->size ? 1 : 0);
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_string_array_resize(rcutils_string_array_t * string_array, size_t new_size)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_array, RCUTILS_RET_INVALID_ARGUMENT);
  if (new_size == string_array->size) {
    return RCUTILS_RET_OK;
  }
  const rcutils_allocator_t * allocator = &string_array->allocator;
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  rcutils_string_array_t resized;
  const rcutils_ret_t ret = rcutils_string_array_init(&resized, new_size, allocator);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  for (size_t index = 0; index < string_array->size; ++index) {
    if (index < new_size) {
      resized.data[index] = string_array->data[index];
    } else {
      allocator->deallocate(string_array->data[index], allocator->state);
    }
  }
  allocator->deallocate(string_array->data, allocator->state);
  *string_array = resized;
  return RCUTILS_RET_OK;
}

int rcutils_string_array_sort_compare(const void * lhs, const void * rhs)
{
  return compare(*static_cast<const char * const *>(lhs), *static_cast<const char * const *>(rhs));
}

rcutils_ret_t rcutils_string_array_sort(rcutils_string_array_t * string_array)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_array, RCUTILS_RET_INVALID_ARGUMENT);
  return rcutils_qsort(
    string_array->data, string_array->size, sizeof(char *), rcutils_string_array_sort_compare);
}
