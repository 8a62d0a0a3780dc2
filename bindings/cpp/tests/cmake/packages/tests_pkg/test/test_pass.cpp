#include <gtest/gtest.h>

int one();

TEST(Pass, passes)
{
  EXPECT_EQ(one(), 1);
}
