#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

static std::string variable(const char * name)
{
  const char * value = std::getenv(name);
  return value == nullptr ? "" : value;
}

TEST(Environment, isSet)
{
  EXPECT_EQ(variable("TEST_VALUE"), "a=b");
  EXPECT_EQ(variable("TEST_PATH"), "/first:/second");
  EXPECT_EQ(variable("TEST_NEW"), "/only");
  const std::string libraries = variable("LD_LIBRARY_PATH");
  EXPECT_EQ(libraries.substr(libraries.size() - 6), "/third");
  EXPECT_TRUE(std::ifstream("test_environment.cpp").good()) << "the working directory";
}
