// Joining values into a string.
#ifndef RCPPUTILS_JOIN_HPP_
#define RCPPUTILS_JOIN_HPP_

#include <sstream>
#include <string>

namespace rcpputils
{

/// Returns the values of a container, written with operator<<, with `delim` between them.
template<typename ContainerT, typename CharT>
std::basic_string<CharT> join(const ContainerT & container, const CharT * delim)
{
  std::basic_ostringstream<CharT> stream;
  bool is_first = true;
  for (const auto & value : container) {
    if (!is_first) {
      stream << delim;
    }
    is_first = false;
    stream << value;
  }
  return stream.str();
}

/// Returns the values of a container, written with operator<<, with `delim` between them.
template<typename ContainerT, typename CharT>
std::basic_string<CharT> join(const ContainerT & container, const std::basic_string<CharT> & delim)
{
  return join(container, delim.c_str());
}

}  // namespace rcpputils

#endif
