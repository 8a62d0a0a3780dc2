#include "old_style_lib/old_style_lib.hpp"

int twice_length(std::string_view text)
{
  return 2 * shared_lib::length(text);
}
