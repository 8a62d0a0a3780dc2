#include "shared_lib/shared_lib.hpp"

int main()
{
  return shared_lib::length("four") == 4 ? 0 : 1;
}
