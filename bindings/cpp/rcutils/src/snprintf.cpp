#include "rcutils/snprintf.h"

#include <cerrno>
#include <cstdio>

int rcutils_snprintf(char * buffer, size_t buffer_size, const char * format, ...)
{
  va_list args;
  va_start(args, format);
  const int length = rcutils_vsnprintf(buffer, buffer_size, format, args);
  va_end(args);
  return length;
}

int rcutils_vsnprintf(char * buffer, size_t buffer_size, const char * format, va_list args)
{
  if (!format || (buffer == nullptr) != (buffer_size == 0)) {
    errno = EINVAL;
    return -1;
  }
  return std::vsnprintf(buffer, buffer_size, format, args);
}
