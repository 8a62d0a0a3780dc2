#include <auto_lib/auto_lib.hpp>
#include <gtest/gtest.h>
#include <header_only/header_only.hpp>

TEST(AutoLib, usesItsDependencies)
{
  EXPECT_EQ(three_times_length("ab"), 6);
  EXPECT_EQ(header_only::five(), 5);
}
