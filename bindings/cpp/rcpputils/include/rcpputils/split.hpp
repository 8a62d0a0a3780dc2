// Splitting a string at a character.
#ifndef RCPPUTILS_SPLIT_HPP_
#define RCPPUTILS_SPLIT_HPP_

#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

namespace rcpputils
{

/// Assigns the parts of `input` between `delim`, one after the other, to `it`; no empty parts if `skip_empty`.
///
/// `it` is an output iterator of strings, or any object to which strings can be assigned. A delimiter at the begin
/// gives an empty part; one at the end does not.
template<
  class InsertIterator,
  std::enable_if_t<std::is_assignable_v<std::remove_reference_t<InsertIterator> &, std::string>, int> = 0>
void split(const std::string & input, char delim, InsertIterator && it, bool skip_empty = false)
{
  for (std::string::size_type begin = 0; begin < input.size(); ) {
    const auto found = input.find(delim, begin);
    const auto end = found == std::string::npos ? input.size() : found;
    if (end > begin || !skip_empty) {
      it = input.substr(begin, end - begin);
    }
    begin = end + 1;
  }
}

/// Returns the parts of `input` between `delim`, without empty parts if `skip_empty`.
///
/// A delimiter at the begin gives an empty part; one at the end does not.
inline std::vector<std::string> split(const std::string & input, char delim, bool skip_empty = false)
{
  std::vector<std::string> result;
  split(input, delim, std::back_inserter(result), skip_empty);
  return result;
}

}  // namespace rcpputils

#endif
