#include <gtest/gtest.h>

TEST(Fail, fails)
{
  EXPECT_EQ(1, 2);
}
