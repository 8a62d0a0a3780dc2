// Messages as YAML: what the generated functions `to_flow_style_yaml` and `to_block_style_yaml` write with.
#ifndef SALTUS__YAML_HPP_
#define SALTUS__YAML_HPP_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>

namespace saltus::yaml
{

/// Writes spaces at the begin of a line.
inline void indent(std::ostream & out, size_t indentation)
{
  for (size_t count = 0; count < indentation; ++count) {
    out.put(' ');
  }
}

/// Writes a text between quotes.
void text(std::ostream & out, const std::string & text);
/// Writes a text of 16-bit letters between quotes.
void text(std::ostream & out, const std::u16string & text);
/// Writes a number with a decimal point.
void number(std::ostream & out, double value);

/// Writes one value.
template<typename T>
void value(std::ostream & out, const T & value)
{
  if constexpr (std::is_same_v<T, bool>) {
    out << (value ? "true" : "false");
  } else if constexpr (std::is_floating_point_v<T>) {
    number(out, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    // An integer of 8 bits is not a letter.
    out << +value;
  } else {
    text(out, value);
  }
}

/// Writes a name and a value.
template<typename T>
void field(std::ostream & out, const char * name, const T & one)
{
  out << name << ": ";
  value<T>(out, one);
}

/// Writes a name and a list in one line.
template<typename List>
void flow_list(std::ostream & out, const char * name, const List & list)
{
  out << name << ": [";
  const char * between = "";
  for (const typename List::value_type & one : list) {
    out << between;
    value<typename List::value_type>(out, one);
    between = ", ";
  }
  out << "]";
}

/// Writes a name and a list of messages in one line.
template<typename List, typename Write>
void flow_nested_list(std::ostream & out, const char * name, const List & list, Write write)
{
  out << name << ": [";
  const char * between = "";
  for (const auto & one : list) {
    out << between;
    write(one, out);
    between = ", ";
  }
  out << "]";
}

/// Writes a name and a value in a line of their own.
template<typename T>
void block_field(std::ostream & out, const char * name, const T & one, size_t indentation)
{
  indent(out, indentation);
  field(out, name, one);
  out << "\n";
}

/// Writes a name, and each element of a list in a line of its own.
template<typename List>
void block_list(std::ostream & out, const char * name, const List & list, size_t indentation)
{
  indent(out, indentation);
  if (list.size() == 0) {
    out << name << ": []\n";
    return;
  }
  out << name << ":\n";
  for (const typename List::value_type & one : list) {
    indent(out, indentation);
    out << "- ";
    value<typename List::value_type>(out, one);
    out << "\n";
  }
}

/// Writes a name, and each message of a list in lines of its own.
template<typename List, typename Write>
void block_nested_list(std::ostream & out, const char * name, const List & list, size_t indentation, Write write)
{
  indent(out, indentation);
  if (list.size() == 0) {
    out << name << ": []\n";
    return;
  }
  out << name << ":\n";
  for (const auto & one : list) {
    indent(out, indentation);
    out << "-\n";
    write(one, out, indentation + 2);
  }
}

/// Returns a message as YAML.
template<typename M>
std::string to_text(const M & message, bool is_flow)
{
  std::ostringstream out;
  if (is_flow) {
    to_flow_style_yaml(message, out);
  } else {
    to_block_style_yaml(message, out, 0);
  }
  return out.str();
}

}  // namespace saltus::yaml

#endif  // SALTUS__YAML_HPP_
