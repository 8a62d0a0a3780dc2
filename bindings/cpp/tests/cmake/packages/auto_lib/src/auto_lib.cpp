#include "auto_lib/auto_lib.hpp"

int three();

int three_times_length(std::string_view text)
{
  return three() * twice_length(text) / 2;
}
