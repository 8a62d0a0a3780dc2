#include <array>
#include <cstring>
#include <utility>

#include "logging_console.hpp"

namespace rcutils_internal
{

namespace
{

constexpr std::array<std::pair<std::string_view, Token>, 10> words = {{
  {"severity", Token::severity},
  {"name", Token::name},
  {"message", Token::message},
  {"function_name", Token::function_name},
  {"file_name", Token::file_name},
  {"short_file_name", Token::short_file_name},
  {"line_number", Token::line_number},
  {"time", Token::time},
  {"time_as_nanoseconds", Token::time_as_nanoseconds},
  {"date_time_with_ms", Token::date_time_with_ms},
}};

Token find_word(std::string_view word)
{
  for (const auto & known : words) {
    if (known.first == word) {
      return known.second;
    }
  }
  return Token::text;
}

// Returns the character of an escape, or '\0' if it is none.
char unescape(char letter)
{
  constexpr std::string_view letters = "abfnrtv\\\"'";
  constexpr std::string_view characters = "\a\b\f\n\r\t\v\\\"'";
  const size_t index = letters.find(letter);
  return index == std::string_view::npos ? '\0' : characters[index];
}

void append_text(std::vector<Piece> & pieces, char character)
{
  if (pieces.empty() || pieces.back().token != Token::text) {
    pieces.push_back({Token::text, ""});
  }
  pieces.back().text += character;
}

const char * severity_name(int severity)
{
  const bool is_in_range = severity >= 0 && severity <= RCUTILS_LOG_SEVERITY_FATAL;
  const char * name = is_in_range ? g_rcutils_log_severity_names[severity] : nullptr;
  return name ? name : "UNKNOWN";
}

const char * file_name_of(const rcutils_log_location_t * location)
{
  return location && location->file_name ? location->file_name : "";
}

const char * without_folder(const char * path)
{
  const char * slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

using Formatter = rcutils_ret_t (*)(const rcutils_time_point_value_t *, char *, size_t);

rcutils_ret_t append_time(Formatter formatter, const Entry & entry, rcutils_char_array_t * line)
{
  char text[64];
  const rcutils_ret_t ret = formatter(&entry.timestamp, text, sizeof(text));
  return ret == RCUTILS_RET_OK ? rcutils_char_array_strcat(line, text) : ret;
}

rcutils_ret_t append_line_number(const Entry & entry, rcutils_char_array_t * line)
{
  if (!entry.location) {
    return RCUTILS_RET_OK;
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%zu", entry.location->line_number);
  return rcutils_char_array_strcat(line, text);
}

rcutils_ret_t append_piece(const Piece & piece, const Entry & entry, rcutils_char_array_t * line)
{
  const char * text = "";
  switch (piece.token) {
    case Token::text:
      text = piece.text.c_str();
      break;
    case Token::severity:
      text = severity_name(entry.severity);
      break;
    case Token::name:
      text = entry.name ? entry.name : "";
      break;
    case Token::message:
      text = entry.message ? entry.message : "";
      break;
    case Token::function_name:
      text = entry.location && entry.location->function_name ? entry.location->function_name : "";
      break;
    case Token::file_name:
      text = file_name_of(entry.location);
      break;
    case Token::short_file_name:
      text = without_folder(file_name_of(entry.location));
      break;
    case Token::line_number:
      return append_line_number(entry, line);
    case Token::time:
      return append_time(rcutils_time_point_value_as_seconds_string, entry, line);
    case Token::time_as_nanoseconds:
      return append_time(rcutils_time_point_value_as_nanoseconds_string, entry, line);
    case Token::date_time_with_ms:
      return append_time(rcutils_time_point_value_as_date_string, entry, line);
  }
  return rcutils_char_array_strcat(line, text);
}

}  // namespace

std::vector<Piece> parse_format(std::string_view format)
{
  std::vector<Piece> pieces;
  for (size_t index = 0; index < format.size(); ++index) {
    const char character = format[index];
    if (character == '\\' && index + 1 < format.size() && unescape(format[index + 1]) != '\0') {
      append_text(pieces, unescape(format[index + 1]));
      ++index;
      continue;
    }
    const size_t end = character == '{' ? format.find('}', index) : std::string_view::npos;
    const Token token =
      end == std::string_view::npos ? Token::text : find_word(format.substr(index + 1, end - index - 1));
    if (token == Token::text) {
      append_text(pieces, character);
    } else {
      pieces.push_back({token, ""});
      index = end;
    }
  }
  return pieces;
}

rcutils_ret_t append_entry(const std::vector<Piece> & format, const Entry & entry, rcutils_char_array_t * line)
{
  for (const Piece & piece : format) {
    const rcutils_ret_t ret = append_piece(piece, entry, line);
    if (ret != RCUTILS_RET_OK) {
      return ret;
    }
  }
  return RCUTILS_RET_OK;
}

}  // namespace rcutils_internal
