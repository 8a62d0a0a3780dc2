// The console: what its environment variables say, and the format of a line.
#ifndef LOGGING_CONSOLE_HPP_
#define LOGGING_CONSOLE_HPP_

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "rcutils/logging.h"

namespace rcutils_internal
{

/** What stands at one place of a line. */
enum class Token
{
  text,
  severity,
  name,
  message,
  function_name,
  file_name,
  short_file_name,
  line_number,
  time,
  time_as_nanoseconds,
  date_time_with_ms
};

struct Piece
{
  Token token;
  /** Of Token::text only. */
  std::string text;
};

struct Entry
{
  const rcutils_log_location_t * location;
  int severity;
  const char * name;
  rcutils_time_point_value_t timestamp;
  const char * message;
};

/** Splits a format into texts and words in braces; a word that is not known stays text. */
std::vector<Piece> parse_format(std::string_view format);

/** Appends an entry to `line`. */
rcutils_ret_t append_entry(const std::vector<Piece> & format, const Entry & entry, rcutils_char_array_t * line);

/** Reads the environment variables; reports wrong values on stderr. Throws std::bad_alloc. */
void configure_console();

}  // namespace rcutils_internal

#endif
