#include <gtest/gtest.h>
#include <unistd.h>

TEST(Endless, doesNotEnd)
{
  for (;;) {
    pause();
  }
}
