#include <gtest/gtest.h>

TEST(OwnMain, runs)
{
  SUCCEED();
}

int main(int argc, char ** argv)
{
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
