#include <gtest/gtest.h>

#include <cstdlib>

TEST(Domain, isSet)
{
  const char * domain = std::getenv("ROS_DOMAIN_ID");
  ASSERT_NE(domain, nullptr);
  EXPECT_GE(std::atoi(domain), 1);
  EXPECT_LE(std::atoi(domain), 101);
}
