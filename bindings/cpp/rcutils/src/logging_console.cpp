#include "logging_console.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <shared_mutex>

namespace rcutils_internal
{

namespace
{

constexpr char default_format[] = "[{severity}] [{time}] [{name}]: {message}";
constexpr char color_end[] = "\033[0m";

struct Console
{
  std::shared_mutex mutex;
  std::vector<Piece> format;
  FILE * stream = stderr;
  bool has_colors = false;
};

// Never destroyed, so that destructors of static objects can log.
Console & console()
{
  alignas(Console) static unsigned char memory[sizeof(Console)];
  static Console * const instance = new (memory) Console;
  return *instance;
}

enum class Switch {unset, off, on};

Switch read_switch(const char * name)
{
  const char * value = std::getenv(name);
  if (!value || *value == '\0') {
    return Switch::unset;
  }
  if (std::strcmp(value, "0") == 0) {
    return Switch::off;
  }
  if (std::strcmp(value, "1") == 0) {
    return Switch::on;
  }
  rcutils_write_to_stderr("rcutils: %s is '%s' and is ignored; set it to 0 or 1\n", name, value);
  return Switch::unset;
}

void set_buffer(FILE * stream, Switch is_buffered)
{
  if (is_buffered == Switch::unset) {
    return;
  }
  const int mode = is_buffered == Switch::on ? _IOLBF : _IONBF;
  if (std::setvbuf(stream, nullptr, mode, is_buffered == Switch::on ? BUFSIZ : 0) != 0) {
    rcutils_write_to_stderr("rcutils: RCUTILS_LOGGING_BUFFERED_STREAM has no effect: setvbuf failed\n");
  }
}

bool decide_colors(Switch colors, FILE * stream)
{
  return colors == Switch::unset ? isatty(fileno(stream)) != 0 : colors == Switch::on;
}

const char * color_of(int severity)
{
  switch (severity) {
    case RCUTILS_LOG_SEVERITY_DEBUG:
      return "\033[32m";
    case RCUTILS_LOG_SEVERITY_WARN:
      return "\033[33m";
    case RCUTILS_LOG_SEVERITY_ERROR:
    case RCUTILS_LOG_SEVERITY_FATAL:
      return "\033[31m";
    default:
      return color_end;
  }
}

rcutils_ret_t append_line(const Console & console, const Entry & entry, rcutils_char_array_t * line)
{
  rcutils_ret_t ret = rcutils_char_array_strcat(line, console.has_colors ? color_of(entry.severity) : "");
  if (ret == RCUTILS_RET_OK) {
    ret = append_entry(console.format, entry, line);
  }
  if (ret == RCUTILS_RET_OK) {
    ret = rcutils_char_array_strcat(line, console.has_colors ? color_end : "");
  }
  return ret == RCUTILS_RET_OK ? rcutils_char_array_strcat(line, "\n") : ret;
}

// Memory of the stack for a text; longer texts move to the heap.
struct Buffer
{
  char memory[1024];
  rcutils_char_array_t array;

  Buffer()
  : array({memory, false, 0, sizeof(memory), rcutils_get_default_allocator()})
  {
    memory[0] = '\0';
  }
  ~Buffer()
  {
    RCUTILS_UNUSED(rcutils_char_array_fini(&array) == RCUTILS_RET_OK);
  }
  Buffer(const Buffer &) = delete;
  Buffer & operator=(const Buffer &) = delete;
};

// One fwrite per line: lines of different threads don't mix.
void write_line(const Entry & entry)
{
  Buffer line;
  Console & target = console();
  std::shared_lock<std::shared_mutex> lock(target.mutex);
  if (append_line(target, entry, &line.array) == RCUTILS_RET_OK) {
    std::fwrite(line.array.buffer, 1, line.array.buffer_length - 1, target.stream);
  } else {
    rcutils_write_to_stderr("rcutils: can't format a log message: %s\n", rcutils_get_error_string().str);
    rcutils_reset_error();
  }
}

}  // namespace

void configure_console()
{
  const char * format = std::getenv("RCUTILS_CONSOLE_OUTPUT_FORMAT");
  auto pieces = parse_format(format && *format != '\0' ? format : default_format);
  FILE * stream = read_switch("RCUTILS_LOGGING_USE_STDOUT") == Switch::on ? stdout : stderr;
  set_buffer(stream, read_switch("RCUTILS_LOGGING_BUFFERED_STREAM"));
  const bool has_colors = decide_colors(read_switch("RCUTILS_COLORIZED_OUTPUT"), stream);
  Console & target = console();
  std::unique_lock<std::shared_mutex> lock(target.mutex);
  target.format = std::move(pieces);
  target.stream = stream;
  target.has_colors = has_colors;
}

}  // namespace rcutils_internal

using rcutils_internal::Entry;

rcutils_ret_t rcutils_logging_format_message(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t timestamp,
  const char * msg, rcutils_char_array_t * logging_output)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(logging_output, RCUTILS_RET_INVALID_ARGUMENT);
  const rcutils_ret_t ret = rcutils_logging_initialize();
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  auto & source = rcutils_internal::console();
  std::shared_lock<std::shared_mutex> lock(source.mutex);
  return rcutils_internal::append_entry(source.format, {location, severity, name, timestamp, msg}, logging_output);
}

void rcutils_logging_console_output_handler(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t timestamp,
  const char * format, va_list * args)
{
  if (rcutils_logging_initialize() != RCUTILS_RET_OK || !format || !args) {
    return;
  }
  rcutils_internal::Buffer message;
  va_list copy;
  va_copy(copy, *args);
  const rcutils_ret_t ret = rcutils_char_array_vsprintf(&message.array, format, copy);
  va_end(copy);
  if (ret != RCUTILS_RET_OK) {
    rcutils_write_to_stderr("rcutils: can't format a log message: %s\n", rcutils_get_error_string().str);
    rcutils_reset_error();
    return;
  }
  rcutils_internal::write_line({location, severity, name, timestamp, message.array.buffer});
}
