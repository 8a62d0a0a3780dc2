#include <old_style_lib/old_style_lib.hpp>

int four_times_length(std::string_view text)
{
  return 2 * twice_length(text);
}
