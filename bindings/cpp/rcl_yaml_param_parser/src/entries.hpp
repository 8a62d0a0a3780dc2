// Reads the lines of the YAML files with which nodes get parameters.
#ifndef ENTRIES_HPP_
#define ENTRIES_HPP_

#include <istream>
#include <string>
#include <vector>

namespace rcl_yaml_param_parser
{

/// A line of a YAML file that has a key and, unless others are below it, a value.
struct FileEntry
{
  size_t line;
  /// The number of spaces before the key.
  size_t indent;
  std::string key;
  /// The text of the value. A list that has its elements on lines of their own is in one line here, between brackets.
  std::string value;
};

/// Reads the entries of a file: mappings in block style, and values in flow style.
/// \throws std::runtime_error for other YAML, with the number of the line
std::vector<FileEntry> read_entries(std::istream & file, const std::string & name);

}  // namespace rcl_yaml_param_parser

#endif  // ENTRIES_HPP_
