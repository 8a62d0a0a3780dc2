#include <gtest/gtest.h>

#include <cstdlib>

TEST(Crash, crashes)
{
  std::abort();
}
