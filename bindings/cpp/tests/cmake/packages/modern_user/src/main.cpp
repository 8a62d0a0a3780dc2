#include <header_only/header_only.hpp>
#include <shared_lib/shared_lib.hpp>
#include <shared_lib/version.h>

int main()
{
  return shared_lib::length(SHARED_LIB_VERSION_STR) == header_only::five() ? 0 : 1;
}
