#include <mixed_exports/mixed_exports.hpp>

int second()
{
  return first() + 1;
}
