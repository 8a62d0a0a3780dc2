#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "buffer_fixture.hpp"
#include "tf2/buffer_core_interface.h"
#include "tf2/exceptions.h"

namespace
{

/// Returns the text of the exception of a type, or nothing if there is none.
template<typename Exception, typename Call>
std::string textOf(Call && call)
{
  try {
    call();
  } catch (const Exception & error) {
    return error.what();
  }
  return "";
}

class BufferCore : public BufferTest
{
protected:
  std::string reason(const std::string & target, const std::string & source, double seconds)
  {
    std::string text;
    EXPECT_FALSE(buffer.canTransform(target, source, at(seconds), &text));
    return text;
  }
};

TEST_F(BufferCore, lookup_interpolates_between_two_times)
{
  ASSERT_TRUE(set("map", "base", 1.0, 1.0));
  ASSERT_TRUE(set("map", "base", 3.0, 2.0));
  const auto found = buffer.lookupTransform("map", "base", at(1.5));
  EXPECT_DOUBLE_EQ(2.0, found.transform.translation.x);
  EXPECT_DOUBLE_EQ(1.0, found.transform.rotation.w);
  EXPECT_EQ("map", found.header.frame_id);
  EXPECT_EQ("base", found.child_frame_id);
  EXPECT_EQ(1, found.header.stamp.sec);
  EXPECT_EQ(500000000u, found.header.stamp.nanosec);
}

TEST_F(BufferCore, time_zero_is_the_latest_time_of_all_frames)
{
  set("map", "odom", 1.0, 1.0);
  set("map", "odom", 2.0, 2.0);
  set("odom", "base", 10.0, 1.0);
  set("base", "laser", 100.0, 0.0, true);
  const auto found = buffer.lookupTransform("map", "laser", tf2::TimePointZero);
  EXPECT_EQ(1, found.header.stamp.sec);
  EXPECT_DOUBLE_EQ(111.0, found.transform.translation.x);
  EXPECT_DOUBLE_EQ(-111.0, buffer.lookupTransform("laser", "map", tf2::TimePointZero).transform.translation.x);
}

TEST_F(BufferCore, lookup_between_times_goes_over_the_fixed_frame)
{
  set("map", "base", 0.0, 1.0);
  set("map", "base", 5.0, 2.0);
  const tf2::BufferCoreInterface & interface = buffer;
  EXPECT_DOUBLE_EQ(-5.0, interface.lookupTransform("base", at(2), "base", at(1), "map").transform.translation.x);
  EXPECT_TRUE(buffer.canTransform("base", at(2), "base", at(1), "map"));
  std::string text;
  EXPECT_FALSE(buffer.canTransform("base", at(2), "base", at(1), "moon", &text));
  EXPECT_EQ("Invalid frame ID \"moon\" passed to canTransform argument fixed_frame - frame does not exist", text);
  EXPECT_FALSE(buffer.canTransform("base", at(3), "base", at(1), "map", &text));
  EXPECT_NE(std::string::npos, text.find("into the future"));
  EXPECT_THROW(buffer.lookupTransform("base", at(2), "base", at(0.5), "map"), tf2::BackwardExtrapolationException);
}

TEST_F(BufferCore, each_failure_has_its_exception)
{
  set("map", "base", 1.0, 1.0);
  set("island", "hut", 1.0, 1.0);
  const auto lookup = [this](const std::string & target, const std::string & source, double seconds) {
      return [this, target, source, seconds]() {buffer.lookupTransform(target, source, at(seconds));};
    };
  EXPECT_EQ(
    "\"x\" passed to lookupTransform argument source_frame does not exist. ",
    textOf<tf2::LookupException>(lookup("map", "x", 1)));
  EXPECT_EQ(
    "Invalid argument \"/map\" passed to lookupTransform argument target_frame - in tf2 frame_ids cannot start with a "
    "'/'", textOf<tf2::InvalidArgumentException>(lookup("/map", "base", 1)));
  EXPECT_EQ(
    "Invalid argument \"\" passed to lookupTransform argument source_frame - in tf2 frame_ids cannot be empty",
    textOf<tf2::InvalidArgumentException>(lookup("map", "", 1)));
  EXPECT_EQ(
    "Could not find a connection between 'map' and 'hut' because they are not part of the same tree.Tf has two or more "
    "unconnected trees.", textOf<tf2::ConnectivityException>(lookup("map", "hut", 1)));
  EXPECT_EQ(
    "Lookup would require extrapolation at time 2.000000, but only time 1.000000 is in the buffer, when looking up "
    "transform from frame [base] to frame [map]", textOf<tf2::NoDataForExtrapolationException>(lookup("map", "base", 2)));
  set("map", "base", 1.0, 2.0);
  EXPECT_EQ(
    "Lookup would require extrapolation into the future.  Requested time 3.000000 but the latest data is at time "
    "2.000000, when looking up transform from frame [base] to frame [map]",
    textOf<tf2::ForwardExtrapolationException>(lookup("map", "base", 3)));
  EXPECT_EQ(
    "Lookup would require extrapolation into the past.  Requested time 0.500000 but the earliest data is at time "
    "1.000000, when looking up transform from frame [base] to frame [map]",
    textOf<tf2::BackwardExtrapolationException>(lookup("map", "base", 0.5)));
  EXPECT_THROW(buffer.lookupTransform("map", "base", at(3)), tf2::ExtrapolationException);
  EXPECT_THROW(buffer.lookupTransform("map", "base", at(3)), tf2::TransformException);
}

TEST_F(BufferCore, can_transform_tells_the_reason)
{
  set("map", "base", 1.0, 1.0);
  EXPECT_TRUE(buffer.canTransform("map", "base", at(1)));
  EXPECT_FALSE(buffer.canTransform("map", "moon", at(1)));
  EXPECT_EQ(
    "Invalid frame ID \"moon\" passed to canTransform argument source_frame - frame does not exist",
    reason("map", "moon", 1));
  EXPECT_EQ(
    "Invalid frame ID \"\" passed to canTransform argument target_frame - in tf2 frame_ids cannot be empty",
    reason("", "map", 1));
  EXPECT_NE(std::string::npos, reason("map", "base", 9).find("only time 1.000000 is in the buffer"));
}

TEST_F(BufferCore, a_transform_that_is_not_valid_is_refused)
{
  EXPECT_FALSE(buffer.setTransform(geometry_msgs::msg::TransformStamped(), "test"));
  EXPECT_FALSE(set("", "base", 1.0, 1.0));
  EXPECT_FALSE(set("map", "", 1.0, 1.0));
  EXPECT_FALSE(set("map", "map", 1.0, 1.0));
  EXPECT_FALSE(set("map", "base", std::numeric_limits<double>::quiet_NaN(), 1.0));
  auto message = translated("map", "base", 1.0, 1.0);
  message.transform.rotation.z = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(buffer.setTransform(message, "test"));
  message.transform.rotation.z = 0.5;
  EXPECT_FALSE(buffer.setTransform(message, "test"));
  EXPECT_FALSE(buffer._frameExists("base"));
  // Older than all that are kept.
  EXPECT_TRUE(set("map", "base", 1.0, 100.0));
  EXPECT_FALSE(set("map", "base", 1.0, 80.0));
  EXPECT_TRUE(set("map", "base", 1.0, 95.0));
}

TEST_F(BufferCore, a_second_parent_and_a_loop_are_refused)
{
  EXPECT_TRUE(set("map", "odom", 1.0, 1.0));
  EXPECT_TRUE(set("odom", "base", 1.0, 1.0));
  EXPECT_FALSE(set("world", "base", 1.0, 1.0));
  EXPECT_FALSE(set("base", "map", 1.0, 1.0));
  EXPECT_TRUE(buffer.canTransform("map", "base", at(1)));
}

TEST_F(BufferCore, a_slash_at_the_start_of_a_new_name_is_removed)
{
  EXPECT_TRUE(set("/map", "/base", 1.0, 1.0));
  EXPECT_TRUE(buffer.canTransform("map", "base", at(1)));
}

TEST_F(BufferCore, clear_keeps_static_transforms)
{
  set("map", "base", 1.0, 1.0);
  set("base", "laser", 1.0, 1.0, true);
  buffer.clear();
  EXPECT_FALSE(buffer.canTransform("map", "base", tf2::TimePointZero));
  EXPECT_TRUE(buffer.canTransform("base", "laser", at(7)));
}

TEST_F(BufferCore, stamps_before_1970_are_valid_messages)
{
  auto message = translated("map", "base", 1.0, 0.0);
  message.header.stamp.sec = -2;
  message.header.stamp.nanosec = 500000000;
  ASSERT_TRUE(buffer.setTransform(message, "test"));
  const auto found = buffer.lookupTransform("map", "base", tf2::TimePoint(std::chrono::milliseconds(-1500)));
  EXPECT_EQ(-2, found.header.stamp.sec);
  EXPECT_EQ(500000000u, found.header.stamp.nanosec);
}

TEST_F(BufferCore, the_cache_length_limits_the_past)
{
  tf2::BufferCore small(std::chrono::seconds(1));
  EXPECT_EQ(std::chrono::seconds(1), small.getCacheLength());
  EXPECT_EQ(tf2::BUFFER_CORE_DEFAULT_CACHE_TIME, buffer.getCacheLength());
  for (const double seconds : {1.0, 2.0, 3.0}) {
    ASSERT_TRUE(small.setTransform(translated("map", "base", seconds, seconds), "test"));
  }
  EXPECT_FALSE(small.canTransform("map", "base", at(1.5)));
  EXPECT_TRUE(small.canTransform("map", "base", at(2.5)));
}

TEST_F(BufferCore, a_dedicated_thread_is_not_the_default)
{
  EXPECT_FALSE(buffer.isUsingDedicatedThread());
  buffer.setUsingDedicatedThread(true);
  EXPECT_TRUE(buffer.isUsingDedicatedThread());
}

TEST_F(BufferCore, velocity_of_a_straight_way)
{
  set("map", "base", 1.0, 1.0);
  set("map", "base", 3.0, 2.0);
  const auto seen = buffer.lookupVelocity("base", "map", at(1.5), std::chrono::milliseconds(200));
  EXPECT_NEAR(2.0, seen.velocity.linear.x, 1e-9);
  EXPECT_NEAR(0.0, seen.velocity.angular.z, 1e-9);
  EXPECT_EQ("map", seen.header.frame_id);
  EXPECT_EQ("base", seen.body_frame_id);
  EXPECT_EQ(1, seen.header.stamp.sec);
  // The interval ends with the latest transform, and the latest time is the default.
  EXPECT_NEAR(2.0, buffer.lookupVelocity("base", "map", at(2), std::chrono::milliseconds(200)).velocity.linear.x, 1e-9);
  EXPECT_NEAR(
    2.0, buffer.lookupVelocity("base", "map", tf2::TimePointZero, std::chrono::milliseconds(200)).velocity.linear.x,
    1e-9);
  EXPECT_THROW(
    buffer.lookupVelocity("base", "map", at(1.5), tf2::Duration::zero()), tf2::InvalidArgumentException);
  EXPECT_THROW(buffer.lookupVelocity("x", "map", at(1.5), std::chrono::seconds(1)), tf2::LookupException);
}

TEST_F(BufferCore, velocity_of_a_point_on_a_turntable)
{
  for (const double seconds : {1.0, 1.5, 2.0}) {
    auto message = translated("map", "table", 0.0, seconds);
    message.transform.rotation.z = std::sin(seconds / 2);
    message.transform.rotation.w = std::cos(seconds / 2);
    ASSERT_TRUE(buffer.setTransform(message, "test"));
  }
  const auto seen = buffer.lookupVelocity(
    "table", "map", "map", tf2::Vector3(2, 0, 0), "map", at(1.5), std::chrono::milliseconds(500));
  EXPECT_NEAR(1.0, seen.velocity.angular.z, 1e-6);
  EXPECT_NEAR(0.0, seen.velocity.linear.x, 1e-6);
  EXPECT_NEAR(2.0, seen.velocity.linear.y, 1e-6);
}

TEST_F(BufferCore, a_quarter_turn_has_the_same_speed_both_ways)
{
  for (const double sign : {1.0, -1.0}) {
    tf2::BufferCore own;
    for (const double seconds : {1.0, 2.0}) {
      auto message = translated("map", "base", 0.0, seconds);
      message.transform.rotation.z = sign * std::sin(seconds * 0.7);
      message.transform.rotation.w = std::cos(seconds * 0.7);
      ASSERT_TRUE(own.setTransform(message, "test"));
    }
    const auto seen = own.lookupVelocity("base", "map", at(1.5), std::chrono::milliseconds(100));
    EXPECT_NEAR(sign * 1.4, seen.velocity.angular.z, 1e-6);
  }
}

}  // namespace
