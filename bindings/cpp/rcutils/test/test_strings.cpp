#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "failing_allocator.hpp"
#include "rcutils/cmdline_parser.h"
#include "rcutils/env.h"
#include "rcutils/error_handling.h"
#include "rcutils/find.h"
#include "rcutils/format_string.h"
#include "rcutils/get_env.h"
#include "rcutils/isalnum_no_locale.h"
#include "rcutils/join.h"
#include "rcutils/process.h"
#include "rcutils/repl_str.h"
#include "rcutils/sha256.h"
#include "rcutils/snprintf.h"
#include "rcutils/split.h"
#include "rcutils/strcasecmp.h"
#include "rcutils/strdup.h"
#include "rcutils/strerror.h"

namespace
{

const rcutils_allocator_t allocator = rcutils_get_default_allocator();

// Takes a string that the allocator made.
std::string take(char * text)
{
  const std::string result = text ? text : "(null)";
  std::free(text);
  return result;
}

std::vector<std::string> take(rcutils_string_array_t & array)
{
  std::vector<std::string> result;
  for (size_t index = 0; index < array.size; ++index) {
    result.push_back(array.data[index]);
  }
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_string_array_fini(&array));
  return result;
}

using Strings = std::vector<std::string>;

Strings split(const char * text)
{
  auto array = rcutils_get_zero_initialized_string_array();
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_split(text, '/', allocator, &array));
  return take(array);
}

Strings split_last(const char * text)
{
  auto array = rcutils_get_zero_initialized_string_array();
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_split_last(text, '/', allocator, &array));
  return take(array);
}

TEST(Strings, split)
{
  EXPECT_EQ(Strings({}), split(nullptr));
  EXPECT_EQ(Strings({}), split(""));
  EXPECT_EQ(Strings({}), split("///"));
  EXPECT_EQ(Strings({"a"}), split("a"));
  EXPECT_EQ(Strings({"a", "bc", "d"}), split("a/bc/d"));
  EXPECT_EQ(Strings({"a", "b"}), split("/a//b/"));
  EXPECT_EQ(RCUTILS_RET_INVALID_ARGUMENT, rcutils_split("a", '/', allocator, nullptr));
  rcutils_reset_error();
}

TEST(Strings, split_last)
{
  EXPECT_EQ(Strings({}), split_last(nullptr));
  EXPECT_EQ(Strings({}), split_last("/"));
  EXPECT_EQ(Strings({"a"}), split_last("/a/"));
  EXPECT_EQ(Strings({"a/b", "c"}), split_last("a/b/c"));
  EXPECT_EQ(Strings({"a/b", "c"}), split_last("/a/b//c/"));
  EXPECT_EQ(Strings({"a//b", "c"}), split_last("//a//b///c//"));
}

TEST(Strings, split_without_memory)
{
  for (int count = 0; count < 4; ++count) {
    int successes = count;
    auto array = rcutils_get_zero_initialized_string_array();
    const auto ret = rcutils_split("a/b/c", '/', failing_allocator(&successes), &array);
    EXPECT_EQ(RCUTILS_RET_BAD_ALLOC, ret) << count;
    EXPECT_EQ(0u, array.size);
    rcutils_reset_error();
    successes = count;
    if (count < 3) {
      const auto last = rcutils_split_last("a/b/c", '/', failing_allocator(&successes), &array);
      EXPECT_EQ(RCUTILS_RET_BAD_ALLOC, last) << count;
      rcutils_reset_error();
    }
  }
}

TEST(Strings, join)
{
  auto array = rcutils_get_zero_initialized_string_array();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_split("a/bc/d", '/', allocator, &array));
  EXPECT_EQ("a, bc, d", take(rcutils_join(&array, ", ", allocator)));
  take(array);
  EXPECT_EQ("", take(rcutils_join(&array, ", ", allocator)));
  EXPECT_EQ(nullptr, rcutils_join(nullptr, ", ", allocator));
  rcutils_reset_error();
}

TEST(Strings, find)
{
  EXPECT_EQ(1u, rcutils_find("abcb", 'b'));
  EXPECT_EQ(3u, rcutils_find_last("abcb", 'b'));
  EXPECT_EQ(1u, rcutils_find_lastn("abcb", 'b', 3));
  EXPECT_EQ(SIZE_MAX, rcutils_findn("abcb", 'c', 2));
  for (const char * text : {static_cast<const char *>(nullptr), "", "x"}) {
    EXPECT_EQ(SIZE_MAX, rcutils_find(text, 'b'));
    EXPECT_EQ(SIZE_MAX, rcutils_find_last(text, 'b'));
  }
}

TEST(Strings, replace)
{
  EXPECT_EQ("x-b-x", take(rcutils_repl_str("a-b-a", "a", "x", &allocator)));
  EXPECT_EQ("abcabc", take(rcutils_repl_str("xx", "x", "abc", &allocator)));
  EXPECT_EQ("", take(rcutils_repl_str("aaaa", "aa", "", &allocator)));
  EXPECT_EQ("abc", take(rcutils_repl_str("abc", "", "x", &allocator)));
  EXPECT_EQ(nullptr, rcutils_repl_str(nullptr, "a", "b", &allocator));
}

TEST(Strings, copies)
{
  EXPECT_EQ("abc", take(rcutils_strdup("abc", allocator)));
  EXPECT_EQ("ab", take(rcutils_strndup("abc", 2, allocator)));
  EXPECT_EQ("abc", take(rcutils_strndup("abc", SIZE_MAX, allocator)));
  EXPECT_EQ(nullptr, rcutils_strdup(nullptr, allocator));
  int successes = 0;
  EXPECT_EQ(nullptr, rcutils_strdup("abc", failing_allocator(&successes)));
}

TEST(Strings, format)
{
  EXPECT_EQ("a 1", take(rcutils_format_string(allocator, "%s %d", "a", 1)));
  EXPECT_EQ("plain", take(rcutils_format_string(allocator, "plain")));
  EXPECT_EQ("abc", take(rcutils_format_string_limit(allocator, 4, "%s", "abcdef")));
  EXPECT_EQ(nullptr, rcutils_format_string_limit(allocator, 0, "x"));
  char text[4];
  EXPECT_EQ(6, rcutils_snprintf(text, sizeof(text), "%s", "abcdef"));
  EXPECT_STREQ("abc", text);
  EXPECT_EQ(-1, rcutils_snprintf(text, 0, "%s", "abcdef"));
  EXPECT_EQ(-1, rcutils_snprintf(nullptr, 4, "%s", "abcdef"));
  EXPECT_EQ(6, rcutils_snprintf(nullptr, 0, "%s", "abcdef"));
  const char * no_format = nullptr;
  EXPECT_GT(0, rcutils_vsnprintf(text, sizeof(text), no_format, {}));
}

TEST(Strings, compare)
{
  int order = 7;
  EXPECT_EQ(0, rcutils_strcasecmp("AbC", "aBc", &order));
  EXPECT_EQ(0, order);
  EXPECT_EQ(0, rcutils_strncasecmp("abX", "ABy", 2, &order));
  EXPECT_EQ(0, order);
  EXPECT_EQ(0, rcutils_strcasecmp("a", "B", &order));
  EXPECT_GT(0, order);
  EXPECT_EQ(-1, rcutils_strcasecmp(nullptr, "B", &order));
  EXPECT_EQ(-1, rcutils_strncasecmp("a", "B", 1, nullptr));
  EXPECT_TRUE(rcutils_isalnum_no_locale('z') && rcutils_isalnum_no_locale('0') && rcutils_isalnum_no_locale('A'));
  EXPECT_FALSE(rcutils_isalnum_no_locale('_') || rcutils_isalnum_no_locale('\xe4'));
}

TEST(Strings, text_of_errno)
{
  char text[64];
  errno = ENOENT;
  rcutils_strerror(text, sizeof(text));
  EXPECT_STREQ("No such file or directory", text);
  char small[3];
  rcutils_strerror(small, sizeof(small));
  EXPECT_STREQ("No", small);
}

TEST(Strings, command_line)
{
  std::vector<std::string> words = {"program", "-t", "topic", "--flag", "-n"};
  std::vector<char *> argv;
  for (auto & word : words) {
    argv.push_back(word.data());
  }
  char ** begin = argv.data();
  char ** end = begin + argv.size();
  EXPECT_TRUE(rcutils_cli_option_exist(begin, end, "--flag"));
  EXPECT_FALSE(rcutils_cli_option_exist(begin, end, "-x"));
  EXPECT_STREQ("topic", rcutils_cli_get_option(begin, end, "-t"));
  EXPECT_EQ(nullptr, rcutils_cli_get_option(begin, end, "-n"));
  EXPECT_EQ(nullptr, rcutils_cli_get_option(begin, end, "-x"));
  EXPECT_EQ(nullptr, rcutils_cli_get_option(begin, begin, "-t"));
}

TEST(Env, set_and_get)
{
  const char * value = nullptr;
  EXPECT_TRUE(rcutils_set_env("SALTUS_TEST_VARIABLE", "1"));
  EXPECT_EQ(nullptr, rcutils_get_env("SALTUS_TEST_VARIABLE", &value));
  EXPECT_STREQ("1", value);
  EXPECT_TRUE(rcutils_set_env_overwrite("SALTUS_TEST_VARIABLE", "2", false));
  EXPECT_EQ(nullptr, rcutils_get_env("SALTUS_TEST_VARIABLE", &value));
  EXPECT_STREQ("1", value);
  EXPECT_TRUE(rcutils_set_env("SALTUS_TEST_VARIABLE", nullptr));
  EXPECT_EQ(nullptr, rcutils_get_env("SALTUS_TEST_VARIABLE", &value));
  EXPECT_STREQ("", value);
  EXPECT_NE(nullptr, rcutils_get_env(nullptr, &value));
  EXPECT_NE(nullptr, rcutils_get_env("X", nullptr));
  EXPECT_FALSE(rcutils_set_env("a=b", "x"));
  rcutils_reset_error();
}

TEST(Process, name_and_id)
{
  EXPECT_LT(0, rcutils_get_pid());
  EXPECT_EQ("test_rcutils", take(rcutils_get_executable_name(allocator)));
}

std::string sha256(const std::string & text, size_t step)
{
  rcutils_sha256_ctx_t context;
  rcutils_sha256_init(&context);
  for (size_t index = 0; index < text.size(); index += step) {
    const std::string part = text.substr(index, step);
    rcutils_sha256_update(&context, reinterpret_cast<const uint8_t *>(part.data()), part.size());
  }
  uint8_t hash[RCUTILS_SHA256_BLOCK_SIZE];
  rcutils_sha256_final(&context, hash);
  std::string result;
  for (const uint8_t byte : hash) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    result += digits;
  }
  return result;
}

// The first three are the examples of FIPS 180; the last is coreutils' sha256sum.
TEST(Sha256, known_hashes)
{
  EXPECT_EQ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", sha256("", 1));
  EXPECT_EQ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", sha256("abc", 2));
  EXPECT_EQ(
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 7));
  EXPECT_EQ("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", sha256(std::string(1000000, 'a'), 999));
}

}  // namespace
