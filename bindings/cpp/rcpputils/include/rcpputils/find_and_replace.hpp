// Replacing text in a string.
#ifndef RCPPUTILS_FIND_AND_REPLACE_HPP_
#define RCPPUTILS_FIND_AND_REPLACE_HPP_

#include <string>
#include <string_view>
#include <type_traits>

namespace rcpputils
{

/// Returns `input` with each `find` replaced by `replace`. All three are strings or C strings of one character type.
template<typename InputT, typename FindT, typename ReplaceT>
auto find_and_replace(const InputT & input, const FindT & find, const ReplaceT & replace)
{
  using CharT = std::remove_cv_t<std::remove_reference_t<decltype(input[0])>>;
  std::basic_string<CharT> output(input);
  const std::basic_string_view<CharT> from(find);
  const std::basic_string_view<CharT> to(replace);
  if (from.empty()) {
    return output;
  }
  for (auto at = output.find(from); at != output.npos; at = output.find(from, at + to.size())) {
    output.replace(at, from.size(), to);
  }
  return output;
}

}  // namespace rcpputils

#endif
