#include "shared_lib/shared_lib.hpp"
#include "shared_lib/version.h"

static_assert(SHARED_LIB_VERSION_MAJOR == 1 && SHARED_LIB_VERSION_MINOR == 2 && SHARED_LIB_VERSION_PATCH == 3);
static_assert(SHARED_LIB_VERSION_GTE(1, 2, 3) && SHARED_LIB_VERSION_GTE(1, 1, 9) && SHARED_LIB_VERSION_GTE(0, 9, 9));
static_assert(!SHARED_LIB_VERSION_GTE(1, 2, 4) && !SHARED_LIB_VERSION_GTE(1, 3, 0) && !SHARED_LIB_VERSION_GTE(2, 0, 0));

int shared_lib::length(std::string_view text)
{
  return static_cast<int>(text.size());
}
