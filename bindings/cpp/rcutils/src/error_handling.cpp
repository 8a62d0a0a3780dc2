#include "rcutils/error_handling.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace
{

// All of this is plain data: a destructor could run before the last error of the thread.
struct ThreadError
{
  rcutils_error_state_t state;
  bool is_set;
  bool was_read;
};

thread_local ThreadError current = {};

void copy_cut(char * to, size_t size, const char * from)
{
  const size_t length = strnlen(from, size - 1);
  std::memcpy(to, from, length);
  to[length] = '\0';
}

// Tells of an error that nobody read, since it would be lost without a trace.
void report_overwritten(const char * new_message)
{
  if (!current.is_set || current.was_read || std::strstr(new_message, current.state.message)) {
    return;
  }
  const rcutils_error_string_t old = rcutils_get_error_string();
  rcutils_write_to_stderr("rcutils: an unread error is overwritten: '%s' by '%s'\n", old.str, new_message);
}

void set_state(const char * message, const char * file, size_t line_number)
{
  copy_cut(current.state.message, sizeof(current.state.message), message);
  copy_cut(current.state.file, sizeof(current.state.file), file);
  current.state.line_number = line_number;
  current.is_set = true;
  current.was_read = false;
}

}  // namespace

rcutils_ret_t rcutils_initialize_error_handling_thread_local_storage(rcutils_allocator_t allocator)
{
  return rcutils_allocator_is_valid(&allocator) ? RCUTILS_RET_OK : RCUTILS_RET_INVALID_ARGUMENT;
}

void rcutils_set_error_state(const char * error_string, const char * file, size_t line_number)
{
  if (!error_string || !file) {
    rcutils_write_to_stderr("rcutils: an error without text or file is dropped\n");
    return;
  }
  report_overwritten(error_string);
  set_state(error_string, file, line_number);
}

void rcutils_set_error_state_with_format(const char * file, size_t line_number, const char * format, ...)
{
  char message[RCUTILS_ERROR_STATE_MESSAGE_MAX_LENGTH];
  va_list args;
  va_start(args, format);
  rcutils_vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  rcutils_set_error_state(message, file, line_number);
}

void rcutils_append_error_state_with_format(const char * file, size_t line_number, const char * format, ...)
{
  char message[RCUTILS_ERROR_STATE_MESSAGE_MAX_LENGTH];
  va_list args;
  va_start(args, format);
  const int length = rcutils_vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  if (current.is_set && length >= 0 && static_cast<size_t>(length) + 2 < sizeof(message)) {
    char * end = message + length;
    std::memcpy(end, ": ", 2);
    copy_cut(end + 2, static_cast<size_t>(message + sizeof(message) - (end + 2)), rcutils_get_error_string().str);
  }
  set_state(message, file, line_number);
}

bool rcutils_error_is_set() {return current.is_set;}

const rcutils_error_state_t * rcutils_get_error_state()
{
  current.was_read = true;
  return current.is_set ? &current.state : nullptr;
}

rcutils_error_string_t rcutils_get_error_string()
{
  rcutils_error_string_t text = {};
  if (!current.is_set) {
    copy_cut(text.str, sizeof(text.str), "error not set");
    return text;
  }
  current.was_read = true;
  std::snprintf(
    text.str, sizeof(text.str), "%s, at %s:%llu", current.state.message, current.state.file,
    static_cast<unsigned long long>(current.state.line_number));
  return text;
}

void rcutils_reset_error()
{
  current.is_set = false;
  current.state = {};
}

void rcutils_write_to_stderr(const char * format, ...)
{
  va_list args;
  va_start(args, format);
  std::vfprintf(stderr, format, args);
  va_end(args);
}
