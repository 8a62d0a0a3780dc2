#pragma once

#include <string_view>

namespace shared_lib
{
// The number of bytes in a text. std::string_view needs C++17.
int length(std::string_view text);
}  // namespace shared_lib
