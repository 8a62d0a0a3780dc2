#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rcpputils/tl_expected/expected.hpp"

namespace
{

tl::expected<int, std::string> parse(const std::string & text)
{
  if (text.empty()) {
    return tl::make_unexpected("empty");
  }
  return std::stoi(text);
}

tl::expected<void, std::string> check(bool is_good)
{
  if (!is_good) {
    return tl::make_unexpected(std::string("bad"));
  }
  return {};
}

TEST(Expected, values_and_errors)
{
  const auto good = parse("7");
  EXPECT_TRUE(good && good.has_value());
  EXPECT_EQ(7, *good);
  EXPECT_EQ(7, good.value());
  EXPECT_EQ(7, good.value_or(1));
  const auto bad = parse("");
  EXPECT_FALSE(bad);
  EXPECT_EQ("empty", bad.error());
  EXPECT_EQ(1, bad.value_or(1));
  try {
    EXPECT_EQ(0, bad.value());
    FAIL() << "no exception";
  } catch (const tl::bad_expected_access<std::string> & exception) {
    EXPECT_EQ("empty", exception.error());
  }
  EXPECT_TRUE(good == 7 && good != bad && bad == tl::make_unexpected(std::string("empty")));
  tl::expected<int, int> same_types = tl::make_unexpected(3);
  EXPECT_FALSE(same_types);
  same_types = 4;
  EXPECT_EQ(4, *same_types);
  same_types = tl::unexpected(5);
  EXPECT_EQ(5, same_types.error());
  same_types.emplace(6);
  EXPECT_EQ(6, *same_types);
}

TEST(Expected, other_types)
{
  tl::expected<std::optional<std::string>, std::string> optional = std::nullopt;
  EXPECT_TRUE(optional);
  EXPECT_FALSE(optional->has_value());
  optional = std::string("text");
  EXPECT_EQ("text", **optional);
  tl::expected<std::unique_ptr<int>, std::string> only_moves = std::make_unique<int>(3);
  EXPECT_EQ(3, *std::move(only_moves).value());
  const tl::expected<std::string, int> in_place(tl::in_place, 3, 'x');
  EXPECT_EQ(3u, in_place->size());
  const tl::expected<std::string, std::string> error(tl::unexpect, 2, 'y');
  EXPECT_EQ("yy", error.error());
}

TEST(Expected, of_void)
{
  EXPECT_TRUE(check(true));
  EXPECT_NO_THROW(check(true).value());
  EXPECT_EQ("bad", check(false).error());
  EXPECT_THROW(check(false).value(), tl::bad_expected_access<std::string>);
  EXPECT_TRUE(check(true) != check(false) && check(true) == check(true));
  EXPECT_EQ(3, *check(true).map([] {return 3;}));
  EXPECT_EQ(7, *check(true).and_then([] {return parse("7");}));
}

TEST(Expected, chains)
{
  const auto twice = [](int value) {return 2 * value;};
  const auto length = [](const std::string & text) {return text.size();};
  EXPECT_EQ(14, *parse("7").map(twice));
  EXPECT_EQ(28, *parse("7").transform(twice).map(twice));
  EXPECT_EQ("empty", parse("").map(twice).error());
  EXPECT_EQ(8, *parse("7").and_then([](int value) {return parse(std::to_string(value + 1));}));
  EXPECT_EQ("empty", parse("").and_then([](int) {return parse("1");}).error());
  EXPECT_EQ(5u, parse("").map_error(length).error());
  EXPECT_EQ(7, *parse("7").transform_error(length));
  EXPECT_EQ(1, *parse("").or_else([](const std::string &) {return parse("1");}));
  std::string seen;
  EXPECT_EQ("empty", parse("").or_else([&seen](const std::string & error) {seen = error;}).error());
  EXPECT_EQ("empty", seen);
  EXPECT_TRUE(parse("7").map([](int) {}).has_value());
}

}  // namespace
