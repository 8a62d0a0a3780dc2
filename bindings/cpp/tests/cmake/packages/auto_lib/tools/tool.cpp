#include <auto_lib/auto_lib.hpp>

int main()
{
  return three_times_length("ab") == 6 ? 0 : 1;
}
