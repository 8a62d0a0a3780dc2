#pragma once

#include "shared_lib/shared_lib.hpp"

// Twice the number of bytes in a text.
int twice_length(std::string_view text);
