// Lists in messages.
#ifndef TEXT_HPP_
#define TEXT_HPP_

#include <cstddef>
#include <string>
#include <vector>

namespace pluginlib
{
namespace impl
{

/// Returns "[a, b, c]"; the end of a long list is left out.
inline std::string listed(const std::vector<std::string> & texts)
{
  constexpr std::size_t shown = 30;
  std::string list = "[";
  for (std::size_t i = 0; i < texts.size() && i < shown; ++i) {
    list += (i == 0 ? "" : ", ") + texts[i];
  }
  if (texts.size() > shown) {
    list += ", and " + std::to_string(texts.size() - shown) + " more";
  }
  return list + "]";
}

}  // namespace impl
}  // namespace pluginlib

#endif
