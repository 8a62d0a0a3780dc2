#include <gtest/gtest.h>

#include <string>

#include "rcl/error_handling.h"
#include "rcl/expand_topic_name.h"
#include "rcl/validate_enclave_name.h"
#include "rcl/validate_topic_name.h"

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

TEST(TopicName, Vectors)
{
  const Vector vectors[] = {
    {"chatter", RCL_TOPIC_NAME_VALID},
    {"/a/b1", RCL_TOPIC_NAME_VALID},
    {"~", RCL_TOPIC_NAME_VALID},
    {"~/a", RCL_TOPIC_NAME_VALID},
    {"{node}/a", RCL_TOPIC_NAME_VALID},
    {"a{b}c/{_d1}", RCL_TOPIC_NAME_VALID},
    {"a//b", RCL_TOPIC_NAME_VALID},
    {"", RCL_TOPIC_NAME_INVALID_IS_EMPTY_STRING, 0},
    {"/", RCL_TOPIC_NAME_INVALID_ENDS_WITH_FORWARD_SLASH, 0},
    {"a-/", RCL_TOPIC_NAME_INVALID_ENDS_WITH_FORWARD_SLASH, 2},
    {"a b", RCL_TOPIC_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 1},
    {"1/", RCL_TOPIC_NAME_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, 0},
    {"a/1b", RCL_TOPIC_NAME_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, 2},
    {"{a", RCL_TOPIC_NAME_INVALID_UNMATCHED_CURLY_BRACE, 0},
    {"a}b", RCL_TOPIC_NAME_INVALID_UNMATCHED_CURLY_BRACE, 1},
    {"{a}}", RCL_TOPIC_NAME_INVALID_UNMATCHED_CURLY_BRACE, 3},
    {"/~", RCL_TOPIC_NAME_INVALID_MISPLACED_TILDE, 1},
    {"~~", RCL_TOPIC_NAME_INVALID_MISPLACED_TILDE, 1},
    {"{~}", RCL_TOPIC_NAME_INVALID_MISPLACED_TILDE, 1},
    {"~abc", RCL_TOPIC_NAME_INVALID_TILDE_NOT_FOLLOWED_BY_FORWARD_SLASH, 1},
    {"~a", RCL_TOPIC_NAME_INVALID_TILDE_NOT_FOLLOWED_BY_FORWARD_SLASH, 1},
    {"~{a}", RCL_TOPIC_NAME_INVALID_TILDE_NOT_FOLLOWED_BY_FORWARD_SLASH, 1},
    {"{a-b}", RCL_TOPIC_NAME_INVALID_SUBSTITUTION_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"{a{b}}", RCL_TOPIC_NAME_INVALID_SUBSTITUTION_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"{a/b}", RCL_TOPIC_NAME_INVALID_SUBSTITUTION_CONTAINS_UNALLOWED_CHARACTERS, 2},
    {"x/{1}", RCL_TOPIC_NAME_INVALID_SUBSTITUTION_STARTS_WITH_NUMBER, 3},
  };
  for (const Vector & vector : vectors) {
    int result = -1;
    size_t index = NO_INDEX;
    EXPECT_EQ(RCL_RET_OK, rcl_validate_topic_name(vector.name.c_str(), &result, &index));
    EXPECT_EQ(vector.result, result) << vector.name;
    EXPECT_EQ(vector.index, index) << vector.name;
  }
}

TEST(TopicName, Arguments)
{
  int result = -1;
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_validate_topic_name(nullptr, &result, nullptr));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_validate_topic_name("a", nullptr, nullptr));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_OK, rcl_validate_topic_name_with_size("abc/", 3, &result, nullptr));
  EXPECT_EQ(RCL_TOPIC_NAME_VALID, result);
  EXPECT_EQ(nullptr, rcl_topic_name_validation_result_string(RCL_TOPIC_NAME_VALID));
  for (const int fault : {-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
    EXPECT_NE(nullptr, rcl_topic_name_validation_result_string(fault));
  }
}

TEST(EnclaveName, IsLikeANamespaceButLonger)
{
  const Vector vectors[] = {
    {"/", RCL_ENCLAVE_NAME_VALID},
    {"/a/b", RCL_ENCLAVE_NAME_VALID},
    {"/" + std::string(254, 'e'), RCL_ENCLAVE_NAME_VALID},
    {"/" + std::string(255, 'e'), RCL_ENCLAVE_NAME_INVALID_TOO_LONG, 254},
    {"", RCL_ENCLAVE_NAME_INVALID_IS_EMPTY_STRING, 0},
    {"a", RCL_ENCLAVE_NAME_INVALID_NOT_ABSOLUTE, 0},
    {"/a/", RCL_ENCLAVE_NAME_INVALID_ENDS_WITH_FORWARD_SLASH, 2},
    {"/a.b", RCL_ENCLAVE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, 2},
  };
  for (const Vector & vector : vectors) {
    int result = -1;
    size_t index = NO_INDEX;
    EXPECT_EQ(RCL_RET_OK, rcl_validate_enclave_name(vector.name.c_str(), &result, &index));
    EXPECT_EQ(vector.result, result) << vector.name;
    EXPECT_EQ(vector.index, index) << vector.name;
  }
  EXPECT_EQ(nullptr, rcl_enclave_name_validation_result_string(RCL_ENCLAVE_NAME_VALID));
  EXPECT_NE(nullptr, rcl_enclave_name_validation_result_string(RCL_ENCLAVE_NAME_INVALID_TOO_LONG));
}

/// Has the substitutions {ping} and {nested}.
class ExpandTopicName : public ::testing::Test
{
protected:
  void SetUp() override
  {
    ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_map_init(&substitutions, 0, allocator));
    ASSERT_EQ(RCL_RET_OK, rcl_get_default_topic_name_substitutions(&substitutions));
    ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_map_set(&substitutions, "ping", "pong"));
    ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_map_set(&substitutions, "nested", "{ping}"));
  }

  void TearDown() override
  {
    EXPECT_EQ(RCUTILS_RET_OK, rcutils_string_map_fini(&substitutions));
    rcl_reset_error();
  }

  std::string expand(const char * name, const char * node_namespace = "/ns")
  {
    char * output = nullptr;
    const rcl_ret_t ret = rcl_expand_topic_name(name, "node", node_namespace, &substitutions, allocator, &output);
    const std::string text = ret == RCL_RET_OK ? output : "error " + std::to_string(ret);
    allocator.deallocate(output, allocator.state);
    rcl_reset_error();
    return text;
  }

  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcutils_string_map_t substitutions = rcutils_get_zero_initialized_string_map();
};

TEST_F(ExpandTopicName, Names)
{
  EXPECT_EQ("/ns/chatter", expand("chatter"));
  EXPECT_EQ("/chatter", expand("chatter", "/"));
  EXPECT_EQ("/a/b/chatter", expand("chatter", "/a/b"));
  EXPECT_EQ("/chatter", expand("/chatter"));
  EXPECT_EQ("/ns/node", expand("~"));
  EXPECT_EQ("/node", expand("~", "/"));
  EXPECT_EQ("/ns/node/x", expand("~/x"));
  EXPECT_EQ("/ns/node", expand("{node}"));
  EXPECT_EQ("/ns", expand("{ns}"));
  EXPECT_EQ("/ns/x", expand("{namespace}/x"));
  EXPECT_EQ("/ns/pong/node", expand("{ping}/{node}"));
  EXPECT_EQ("/ns/node/pong", expand("~/{ping}"));
  EXPECT_EQ("/ns/anodeb", expand("a{node}b"));
  EXPECT_EQ("/ns/{ping}", expand("{nested}"));
}

TEST_F(ExpandTopicName, Errors)
{
  EXPECT_EQ("error 103", expand(""));
  EXPECT_EQ("error 103", expand("a/"));
  EXPECT_EQ("error 103", expand("{node"));
  EXPECT_EQ("error 105", expand("{unknown}"));
  EXPECT_EQ("error 105", expand("{}"));
  EXPECT_EQ("error 202", expand("a", "ns"));
  EXPECT_EQ("error 202", expand("a", ""));
  char * output = nullptr;
  EXPECT_EQ(
    RCL_RET_NODE_INVALID_NAME, rcl_expand_topic_name("a", "1", "/", &substitutions, allocator, &output));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_expand_topic_name("a", "n", "/", nullptr, allocator, &output));
  rcl_reset_error();
  EXPECT_EQ(
    RCL_RET_INVALID_ARGUMENT, rcl_expand_topic_name("a", "n", "/", &substitutions, allocator, nullptr));
}

}  // namespace
