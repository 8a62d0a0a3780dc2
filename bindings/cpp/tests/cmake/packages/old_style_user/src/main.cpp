#include <old_style_lib/old_style_lib.hpp>

#include <cstring>

#ifndef OLD_STYLE_LIB_USED
#error "the definition of old_style_lib is missing"
#endif

int shared_lib_part();

int main()
{
  return twice_length("abc") == 6 && std::strcmp(SHARED_LIB_USED, "yes") == 0 && shared_lib_part() == 1 ? 0 : 1;
}
