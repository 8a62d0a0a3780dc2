// Functions on C strings: strdup, find, repl_str, strcasecmp, strerror, format_string, cmdline_parser.
#include <strings.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "rcutils/cmdline_parser.h"
#include "rcutils/error_handling.h"
#include "rcutils/find.h"
#include "rcutils/format_string.h"
#include "rcutils/repl_str.h"
#include "rcutils/strcasecmp.h"
#include "rcutils/strdup.h"
#include "rcutils/strerror.h"

char * rcutils_strdup(const char * str, rcutils_allocator_t allocator)
{
  return str ? rcutils_strndup(str, std::strlen(str), allocator) : nullptr;
}

char * rcutils_strndup(const char * str, size_t string_length, rcutils_allocator_t allocator)
{
  if (!str || !rcutils_allocator_is_valid(&allocator)) {
    return nullptr;
  }
  const size_t length = strnlen(str, string_length);
  auto copy = static_cast<char *>(allocator.allocate(length + 1, allocator.state));
  if (copy) {
    std::memcpy(copy, str, length);
    copy[length] = '\0';
  }
  return copy;
}

size_t rcutils_find(const char * str, char delimiter)
{
  return str ? rcutils_findn(str, delimiter, std::strlen(str)) : SIZE_MAX;
}

size_t rcutils_findn(const char * str, char delimiter, size_t string_length)
{
  if (!str || string_length == 0) {
    return SIZE_MAX;
  }
  const void * found = std::memchr(str, delimiter, string_length);
  return found ? static_cast<size_t>(static_cast<const char *>(found) - str) : SIZE_MAX;
}

size_t rcutils_find_last(const char * str, char delimiter)
{
  return str ? rcutils_find_lastn(str, delimiter, std::strlen(str)) : SIZE_MAX;
}

size_t rcutils_find_lastn(const char * str, char delimiter, size_t string_length)
{
  if (!str) {
    return SIZE_MAX;
  }
  for (size_t index = string_length; index > 0; --index) {
    if (str[index - 1] == delimiter) {
      return index - 1;
    }
  }
  return SIZE_MAX;
}

namespace
{

size_t count_of(const char * str, const char * part, size_t part_length)
{
  size_t count = 0;
  for (const char * found = std::strstr(str, part); found; found = std::strstr(found + part_length, part)) {
    ++count;
  }
  return count;
}

}  // namespace

char * rcutils_repl_str(
  const char * str, const char * from, const char * to, const rcutils_allocator_t * allocator)
{
  if (!str || !from || !to || !rcutils_allocator_is_valid(allocator)) {
    return nullptr;
  }
  const size_t from_length = std::strlen(from);
  const size_t to_length = std::strlen(to);
  const size_t count = from_length > 0 ? count_of(str, from, from_length) : 0;
  const size_t length = std::strlen(str) - count * from_length + count * to_length;
  auto result = static_cast<char *>(allocator->allocate(length + 1, allocator->state));
  if (!result) {
    return nullptr;
  }
  char * end = result;
  for (size_t index = 0; index < count; ++index) {
    const char * found = std::strstr(str, from);
    const auto kept = static_cast<size_t>(found - str);
    std::memcpy(end, str, kept);
    std::memcpy(end + kept, to, to_length);
    end += kept + to_length;
    str = found + from_length;
  }
  std::memcpy(end, str, std::strlen(str) + 1);
  return result;
}

int rcutils_strcasecmp(const char * s1, const char * s2, int * res)
{
  if (!s1 || !s2 || !res) {
    errno = EINVAL;
    return -1;
  }
  *res = strcasecmp(s1, s2);
  return 0;
}

int rcutils_strncasecmp(const char * s1, const char * s2, size_t n, int * res)
{
  if (!s1 || !s2 || !res) {
    errno = EINVAL;
    return -1;
  }
  *res = strncasecmp(s1, s2, n);
  return 0;
}

namespace
{

// glibc has a strerror_r that returns its text, perhaps outside of the buffer; POSIX has one that returns a code.
[[maybe_unused]] const char * text_of(const char * returned, const char *) {return returned;}

[[maybe_unused]] const char * text_of(int, const char * buffer) {return buffer;}

}  // namespace

void rcutils_strerror(char * buffer, size_t buffer_length)
{
  if (!buffer || buffer_length == 0) {
    return;
  }
  char text[256] = "unknown error";
  std::snprintf(buffer, buffer_length, "%s", text_of(strerror_r(errno, text, sizeof(text)), text));
}

char * rcutils_format_string_limit(
  rcutils_allocator_t allocator, size_t limit, const char * format_string, ...)
{
  if (!format_string || limit == 0 || !rcutils_allocator_is_valid(&allocator)) {
    return nullptr;
  }
  va_list args;
  va_start(args, format_string);
  va_list measured;
  va_copy(measured, args);
  const int length = rcutils_vsnprintf(nullptr, 0, format_string, measured);
  va_end(measured);
  char * result = nullptr;
  if (length >= 0) {
    const size_t needed = static_cast<size_t>(length) + 1;
    const size_t size = needed < limit ? needed : limit;
    result = static_cast<char *>(allocator.allocate(size, allocator.state));
    if (result) {
      rcutils_vsnprintf(result, size, format_string, args);
    }
  }
  va_end(args);
  return result;
}

namespace
{

char ** find_option(char ** begin, char ** end, const char * option)
{
  while (begin != end && (!*begin || std::strcmp(*begin, option) != 0)) {
    ++begin;
  }
  return begin;
}

}  // namespace

bool rcutils_cli_option_exist(char ** begin, char ** end, const char * option)
{
  return begin && end && option && find_option(begin, end, option) != end;
}

char * rcutils_cli_get_option(char ** begin, char ** end, const char * option)
{
  if (!begin || !end || !option) {
    return nullptr;
  }
  char ** found = find_option(begin, end, option);
  return found != end && found + 1 != end ? found[1] : nullptr;
}
