#include <cstdint>
#include <cstring>

#include "rcutils/error_handling.h"
#include "rcutils/find.h"
#include "rcutils/join.h"
#include "rcutils/split.h"
#include "rcutils/strdup.h"

namespace
{

// Frees what a failed function made, and returns RCUTILS_RET_BAD_ALLOC.
rcutils_ret_t give_up(rcutils_string_array_t * string_array)
{
  const rcutils_ret_t ret = rcutils_string_array_fini(string_array);
  *string_array = rcutils_get_zero_initialized_string_array();
  RCUTILS_SET_ERROR_MSG("no memory to split a string");
  return ret == RCUTILS_RET_OK ? RCUTILS_RET_BAD_ALLOC : ret;
}

rcutils_ret_t start(
  const char * str, rcutils_allocator_t allocator, rcutils_string_array_t * string_array, bool * is_empty)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_array, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  *string_array = rcutils_get_zero_initialized_string_array();
  string_array->allocator = allocator;
  *is_empty = !str || *str == '\0';
  return RCUTILS_RET_OK;
}

bool set_token(rcutils_string_array_t * array, size_t index, const char * begin, size_t length)
{
  array->data[index] = rcutils_strndup(begin, length, array->allocator);
  return array->data[index] != nullptr;
}

// Removes the delimiters at both ends of [begin, end).
void trim(const char *& begin, const char *& end, char delimiter)
{
  while (begin != end && *begin == delimiter) {
    ++begin;
  }
  while (begin != end && end[-1] == delimiter) {
    --end;
  }
}

// Moves `begin` to the next token, and returns its length, or 0 at the end.
size_t next_token(const char *& begin, char delimiter)
{
  while (*begin != '\0' && *begin == delimiter) {
    ++begin;
  }
  const size_t found = rcutils_find(begin, delimiter);
  return found != SIZE_MAX ? found : std::strlen(begin);
}

}  // namespace

rcutils_ret_t rcutils_split(
  const char * str, char delimiter, rcutils_allocator_t allocator, rcutils_string_array_t * string_array)
{
  bool is_empty = false;
  const rcutils_ret_t ret = start(str, allocator, string_array, &is_empty);
  if (ret != RCUTILS_RET_OK || is_empty) {
    return ret;
  }
  size_t count = 0;
  const char * begin = str;
  for (size_t length = next_token(begin, delimiter); length > 0; length = next_token(begin, delimiter)) {
    ++count;
    begin += length;
  }
  if (count == 0) {
    return RCUTILS_RET_OK;
  }
  if (rcutils_string_array_init(string_array, count, &allocator) != RCUTILS_RET_OK) {
    return RCUTILS_RET_BAD_ALLOC;
  }
  begin = str;
  for (size_t index = 0; index < count; ++index) {
    const size_t length = next_token(begin, delimiter);
    if (!set_token(string_array, index, begin, length)) {
      return give_up(string_array);
    }
    begin += length;
  }
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_split_last(
  const char * str, char delimiter, rcutils_allocator_t allocator, rcutils_string_array_t * string_array)
{
  bool is_empty = false;
  const rcutils_ret_t ret = start(str, allocator, string_array, &is_empty);
  if (ret != RCUTILS_RET_OK || is_empty) {
    return ret;
  }
  const char * begin = str;
  const char * end = str + std::strlen(str);
  trim(begin, end, delimiter);
  if (begin == end) {
    return RCUTILS_RET_OK;
  }
  const auto length = static_cast<size_t>(end - begin);
  const size_t found = rcutils_find_lastn(begin, delimiter, length);
  const bool is_split = found < length;
  if (rcutils_string_array_init(string_array, is_split ? 2 : 1, &allocator) != RCUTILS_RET_OK) {
    return RCUTILS_RET_BAD_ALLOC;
  }
  const char * last = is_split ? begin + found + 1 : begin;
  const char * first_end = last;
  trim(begin, first_end, delimiter);
  const bool is_complete =
    (!is_split || set_token(string_array, 0, begin, static_cast<size_t>(first_end - begin))) &&
    set_token(string_array, is_split ? 1 : 0, last, static_cast<size_t>(end - last));
  return is_complete ? RCUTILS_RET_OK : give_up(string_array);
}

char * rcutils_join(
  const rcutils_string_array_t * string_array, const char * delimiter, rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_array, nullptr);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(delimiter, nullptr);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return nullptr);
  const size_t delimiter_length = std::strlen(delimiter);
  size_t length = string_array->size > 1 ? (string_array->size - 1) * delimiter_length : 0;
  for (size_t index = 0; index < string_array->size; ++index) {
    RCUTILS_CHECK_FOR_NULL_WITH_MSG(string_array->data[index], "can't join a NULL string", return nullptr);
    length += std::strlen(string_array->data[index]);
  }
  auto result = static_cast<char *>(allocator.allocate(length + 1, allocator.state));
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(result, "no memory to join strings", return nullptr);
  char * end = result;
  for (size_t index = 0; index < string_array->size; ++index) {
    if (index > 0) {
      std::memcpy(end, delimiter, delimiter_length);
      end += delimiter_length;
    }
    const size_t part_length = std::strlen(string_array->data[index]);
    std::memcpy(end, string_array->data[index], part_length);
    end += part_length;
  }
  *end = '\0';
  return result;
}
