#include <gtest/gtest.h>

#include <string>

#include "rmw/error_handling.h"
#include "rmw/validate_full_topic_name.h"
#include "rmw/validate_namespace.h"
#include "rmw/validate_node_name.h"

namespace
{

constexpr size_t NO_INDEX = 12345;

/// A name, and what is wrong with it.
struct Vector
{
  std::string name;
  int result;
  size_t index = NO_INDEX;
};

using Validate = rmw_ret_t (*)(const char *, int *, size_t *);

void check(Validate validate, const Vector & vector)
{
  int result = -1;
  size_t index = NO_INDEX;
  EXPECT_EQ(RMW_RET_OK, validate(vector.name.c_str(), &result, &index));
  EXPECT_EQ(vector.result, result) << vector.name;
  EXPECT_EQ(vector.index, index) << vector.name;
  EXPECT_EQ(RMW_RET_OK, validate(vector.name.c_str(), &result, nullptr));
}

void check_null(Validate validate)
{
  int result;
  size_t index;
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, validate(nullptr, &result, &index));
  EXPECT_TRUE(rmw_error_is_set());
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, validate("a", nullptr, &index));
  EXPECT_TRUE(rmw_error_is_set());
  rmw_reset_error();
}

TEST(NodeName, Vectors)
{
  const Vector vectors[] = {
    {"node", RMW_NODE_NAME_VALID},
    {"Node_1", RMW_NODE_NAME_VALID},
    {"_n", RMW_NODE_NAME_VALID},
    {"__", RMW_NODE_NAME_VALID},
    {std::string(255, 'n'), RMW_NODE_NAME_VALID},
    {"", RMW_NODE_NAME_INVALID_IS_EMPTY_STRING, 0},
    {"no-de", RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"no/de", RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"no de", RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"\xc3\xa4", RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 0},
    {"1-", RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 1},
    {"1node", RMW_NODE_NAME_INVALID_STARTS_WITH_NUMBER, 0},
    {std::string(256, 'n'), RMW_NODE_NAME_INVALID_TOO_LONG, 254},
  };
  for (const Vector & vector : vectors) {
    check(rmw_validate_node_name, vector);
  }
  check_null(rmw_validate_node_name);
}

TEST(FullTopicName, Vectors)
{
  const Vector vectors[] = {
    {"/chatter", RMW_TOPIC_VALID},
    {"/a/b1/_c/d__e", RMW_TOPIC_VALID},
    {"/" + std::string(246, 't'), RMW_TOPIC_VALID},
    {"", RMW_TOPIC_INVALID_IS_EMPTY_STRING, 0},
    {"chatter", RMW_TOPIC_INVALID_NOT_ABSOLUTE, 0},
    {"~/a", RMW_TOPIC_INVALID_NOT_ABSOLUTE, 0},
    {"/", RMW_TOPIC_INVALID_ENDS_WITH_FORWARD_SLASH, 0},
    {"/a/", RMW_TOPIC_INVALID_ENDS_WITH_FORWARD_SLASH, 2},
    {"/a-b", RMW_TOPIC_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"/{a}", RMW_TOPIC_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 1},
    {"//a b", RMW_TOPIC_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 3},
    {"//a", RMW_TOPIC_INVALID_CONTAINS_REPEATED_FORWARD_SLASH, 1},
    {"/a//b", RMW_TOPIC_INVALID_CONTAINS_REPEATED_FORWARD_SLASH, 3},
    {"/1a", RMW_TOPIC_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, 1},
    {"/a/9", RMW_TOPIC_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, 3},
    {"/a/9//b", RMW_TOPIC_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, 3},
    {"/" + std::string(247, 't'), RMW_TOPIC_INVALID_TOO_LONG, 246},
  };
  for (const Vector & vector : vectors) {
    check(rmw_validate_full_topic_name, vector);
  }
  check_null(rmw_validate_full_topic_name);
}

TEST(Namespace, Vectors)
{
  const Vector vectors[] = {
    {"/", RMW_NAMESPACE_VALID},
    {"/ns/sub", RMW_NAMESPACE_VALID},
    {"/" + std::string(244, 'n'), RMW_NAMESPACE_VALID},
    {"", RMW_NAMESPACE_INVALID_IS_EMPTY_STRING, 0},
    {"ns", RMW_NAMESPACE_INVALID_NOT_ABSOLUTE, 0},
    {"/ns/", RMW_NAMESPACE_INVALID_ENDS_WITH_FORWARD_SLASH, 3},
    {"/n.s", RMW_NAMESPACE_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"/a//b", RMW_NAMESPACE_INVALID_CONTAINS_REPEATED_FORWARD_SLASH, 3},
    {"/1", RMW_NAMESPACE_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, 1},
    {"/" + std::string(245, 'n'), RMW_NAMESPACE_INVALID_TOO_LONG, 244},
    {"/" + std::string(300, 'n'), RMW_NAMESPACE_INVALID_TOO_LONG, 244},
  };
  for (const Vector & vector : vectors) {
    check(rmw_validate_namespace, vector);
  }
  check_null(rmw_validate_namespace);
}

TEST(Names, OnlyTheBytesOfTheSizeCount)
{
  int result = -1;
  EXPECT_EQ(RMW_RET_OK, rmw_validate_node_name_with_size("node/x", 4, &result, nullptr));
  EXPECT_EQ(RMW_NODE_NAME_VALID, result);
  EXPECT_EQ(RMW_RET_OK, rmw_validate_full_topic_name_with_size("/abc/", 4, &result, nullptr));
  EXPECT_EQ(RMW_TOPIC_VALID, result);
  EXPECT_EQ(RMW_RET_OK, rmw_validate_full_topic_name_with_size("/abc", 0, &result, nullptr));
  EXPECT_EQ(RMW_TOPIC_INVALID_IS_EMPTY_STRING, result);
  EXPECT_EQ(RMW_RET_OK, rmw_validate_namespace_with_size("/abc/", 4, &result, nullptr));
  EXPECT_EQ(RMW_NAMESPACE_VALID, result);
}

TEST(Names, EachFaultHasAText)
{
  EXPECT_EQ(nullptr, rmw_node_name_validation_result_string(RMW_NODE_NAME_VALID));
  EXPECT_EQ(nullptr, rmw_namespace_validation_result_string(RMW_NAMESPACE_VALID));
  EXPECT_EQ(nullptr, rmw_full_topic_name_validation_result_string(RMW_TOPIC_VALID));
  for (const int result : {-1, 1, 2, 3, 4, 5, 6, 7, 8}) {
    EXPECT_NE(nullptr, rmw_node_name_validation_result_string(result));
    EXPECT_NE(nullptr, rmw_namespace_validation_result_string(result));
    EXPECT_NE(nullptr, rmw_full_topic_name_validation_result_string(result));
  }
}

}  // namespace
