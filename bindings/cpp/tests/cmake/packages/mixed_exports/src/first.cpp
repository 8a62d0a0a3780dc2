#include <mixed_exports/mixed_exports.hpp>

int first()
{
  return shared_lib::length("a");
}
