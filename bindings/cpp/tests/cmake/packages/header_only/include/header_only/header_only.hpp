#pragma once

namespace header_only
{
constexpr int five()
{
  return 5;
}
}  // namespace header_only
