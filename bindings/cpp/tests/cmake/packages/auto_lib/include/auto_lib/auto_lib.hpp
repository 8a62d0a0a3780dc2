#pragma once

#include <old_style_lib/old_style_lib.hpp>

// Three times the number of bytes in a text.
int three_times_length(std::string_view text);
