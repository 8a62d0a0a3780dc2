#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "rcl/error_handling.h"
#include "rcl/time.h"

namespace
{

/// A jump that a callback saw.
struct Seen
{
  rcl_clock_change_t change;
  int64_t delta;
  bool before;

  bool operator==(const Seen & other) const
  {
    return change == other.change && delta == other.delta && before == other.before;
  }
};

void remember(const rcl_time_jump_t * jump, bool before_jump, void * user_data)
{
  static_cast<std::vector<Seen> *>(user_data)->push_back({jump->clock_change, jump->delta.nanoseconds, before_jump});
}

std::vector<Seen> twice(rcl_clock_change_t change, int64_t delta)
{
  return {{change, delta, true}, {change, delta, false}};
}

/// Has a clock of the kind RCL_ROS_TIME.
class RosClock : public ::testing::Test
{
protected:
  void SetUp() override {ASSERT_EQ(RCL_RET_OK, rcl_clock_init(RCL_ROS_TIME, &clock, &allocator));}

  void TearDown() override
  {
    EXPECT_EQ(RCL_RET_OK, rcl_clock_fini(&clock));
    rcl_reset_error();
  }

  int64_t now()
  {
    rcl_time_point_value_t time = -1;
    EXPECT_EQ(RCL_RET_OK, rcl_clock_get_now(&clock, &time));
    return time;
  }

  rcl_ret_t add(bool on_change, int64_t forward, int64_t backward, void * user_data)
  {
    return rcl_clock_add_jump_callback(&clock, {on_change, {forward}, {backward}}, remember, user_data);
  }

  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_clock_t clock = {};
};

TEST(Clock, Numbers)
{
  EXPECT_EQ(0, RCL_CLOCK_UNINITIALIZED);
  EXPECT_EQ(1, RCL_ROS_TIME);
  EXPECT_EQ(2, RCL_SYSTEM_TIME);
  EXPECT_EQ(3, RCL_STEADY_TIME);
  EXPECT_EQ(1, RCL_ROS_TIME_NO_CHANGE);
  EXPECT_EQ(2, RCL_ROS_TIME_ACTIVATED);
  EXPECT_EQ(3, RCL_ROS_TIME_DEACTIVATED);
  EXPECT_EQ(4, RCL_SYSTEM_TIME_NO_CHANGE);
  EXPECT_EQ(2000000000, RCL_S_TO_NS(2));
  EXPECT_EQ(-1, RCL_NS_TO_S(-1999999999LL));
}

TEST(Clock, EachKindHasATime)
{
  rcl_allocator_t allocator = rcl_get_default_allocator();
  for (const rcl_clock_type_t kind : {RCL_ROS_TIME, RCL_SYSTEM_TIME, RCL_STEADY_TIME}) {
    rcl_clock_t clock;
    ASSERT_EQ(RCL_RET_OK, rcl_clock_init(kind, &clock, &allocator));
    EXPECT_TRUE(rcl_clock_valid(&clock));
    EXPECT_TRUE(rcl_clock_time_started(&clock));
    rcl_time_point_value_t first = 0;
    rcl_time_point_value_t second = 0;
    EXPECT_EQ(RCL_RET_OK, rcl_clock_get_now(&clock, &first));
    EXPECT_EQ(RCL_RET_OK, rcl_clock_get_now(&clock, &second));
    EXPECT_GT(first, 0);
    EXPECT_GE(second, first);
    EXPECT_EQ(RCL_RET_OK, rcl_clock_fini(&clock));
  }
}

TEST(Clock, Uninitialized)
{
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_clock_t clock = {};
  rcl_time_point_value_t time;
  EXPECT_FALSE(rcl_clock_valid(nullptr));
  EXPECT_FALSE(rcl_clock_valid(&clock));
  EXPECT_EQ(RCL_RET_ERROR, rcl_clock_get_now(&clock, &time));
  rcl_reset_error();
  EXPECT_FALSE(rcl_clock_time_started(&clock));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_clock_fini(&clock));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_OK, rcl_clock_init(RCL_CLOCK_UNINITIALIZED, &clock, &allocator));
  EXPECT_FALSE(rcl_clock_valid(&clock));
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_clock_init(static_cast<rcl_clock_type_t>(9), &clock, &allocator));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_clock_init(RCL_ROS_TIME, nullptr, &allocator));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_clock_init(RCL_ROS_TIME, &clock, nullptr));
  rcl_reset_error();
}

TEST(Clock, TheFunctionsOfAKindRefuseOthers)
{
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_clock_t clock;
  ASSERT_EQ(RCL_RET_OK, rcl_steady_clock_init(&clock, &allocator));
  EXPECT_EQ(RCL_RET_ERROR, rcl_system_clock_fini(&clock));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_ERROR, rcl_ros_clock_fini(&clock));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_ERROR, rcl_set_ros_time_override(&clock, 1));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_ERROR, rcl_enable_ros_time_override(&clock));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_OK, rcl_steady_clock_fini(&clock));
}

TEST(Time, Difference)
{
  const rcl_time_point_t start = {5, RCL_ROS_TIME};
  const rcl_time_point_t finish = {9, RCL_ROS_TIME};
  const rcl_time_point_t other = {9, RCL_STEADY_TIME};
  rcl_duration_t delta;
  ASSERT_EQ(RCL_RET_OK, rcl_difference_times(&start, &finish, &delta));
  EXPECT_EQ(4, delta.nanoseconds);
  ASSERT_EQ(RCL_RET_OK, rcl_difference_times(&finish, &start, &delta));
  EXPECT_EQ(-4, delta.nanoseconds);
  EXPECT_EQ(RCL_RET_ERROR, rcl_difference_times(&start, &other, &delta));
  rcl_reset_error();
  const rcl_time_point_t first = {std::numeric_limits<int64_t>::min(), RCL_ROS_TIME};
  EXPECT_EQ(RCL_RET_ERROR, rcl_difference_times(&first, &finish, &delta));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_difference_times(&start, &finish, nullptr));
  rcl_reset_error();
}

TEST_F(RosClock, TheSourceIsTheSystemTimeUntilItIsOverridden)
{
  bool enabled = true;
  ASSERT_EQ(RCL_RET_OK, rcl_is_enabled_ros_time_override(&clock, &enabled));
  EXPECT_FALSE(enabled);
  EXPECT_GT(now(), 1000000000000000);
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 100));
  EXPECT_GT(now(), 1000000000000000);
  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  ASSERT_EQ(RCL_RET_OK, rcl_is_enabled_ros_time_override(&clock, &enabled));
  EXPECT_TRUE(enabled);
  EXPECT_EQ(100, now());
  ASSERT_EQ(RCL_RET_OK, rcl_disable_ros_time_override(&clock));
  EXPECT_GT(now(), 1000000000000000);
  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  EXPECT_EQ(100, now());
}

TEST_F(RosClock, ItStartsWithTheFirstTime)
{
  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  EXPECT_FALSE(rcl_clock_time_started(&clock));
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 1));
  EXPECT_TRUE(rcl_clock_time_started(&clock));
}

TEST_F(RosClock, Thresholds)
{
  std::vector<Seen> change, all, forward, backward;
  ASSERT_EQ(RCL_RET_OK, add(true, 0, 0, &change));
  ASSERT_EQ(RCL_RET_OK, add(true, 1, -1, &all));
  ASSERT_EQ(RCL_RET_OK, add(false, 1000, 0, &forward));
  ASSERT_EQ(RCL_RET_OK, add(false, 0, -1000, &backward));
  const auto clear = [&] {
      for (std::vector<Seen> * seen : {&change, &all, &forward, &backward}) {
        seen->clear();
      }
    };
  // The time is not the source yet.
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 5000));
  EXPECT_TRUE(all.empty());

  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  EXPECT_EQ(twice(RCL_ROS_TIME_ACTIVATED, 0), change);
  EXPECT_EQ(twice(RCL_ROS_TIME_ACTIVATED, 0), all);
  EXPECT_TRUE(forward.empty());
  EXPECT_TRUE(backward.empty());
  clear();
  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  EXPECT_TRUE(change.empty());

  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 5999));
  EXPECT_EQ(twice(RCL_ROS_TIME_NO_CHANGE, 999), all);
  EXPECT_TRUE(change.empty());
  EXPECT_TRUE(forward.empty());
  clear();
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 6999));
  EXPECT_EQ(twice(RCL_ROS_TIME_NO_CHANGE, 1000), forward);
  clear();
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 6999));
  EXPECT_TRUE(all.empty());
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 6000));
  EXPECT_EQ(twice(RCL_ROS_TIME_NO_CHANGE, -999), all);
  EXPECT_TRUE(backward.empty());
  clear();
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 5000));
  EXPECT_EQ(twice(RCL_ROS_TIME_NO_CHANGE, -1000), backward);
  clear();
  ASSERT_EQ(RCL_RET_OK, rcl_disable_ros_time_override(&clock));
  EXPECT_EQ(twice(RCL_ROS_TIME_DEACTIVATED, 0), change);
  EXPECT_TRUE(forward.empty());
}

TEST_F(RosClock, CallbacksSeeTheOldAndTheNewTime)
{
  struct Times
  {
    rcl_clock_t * clock;
    std::vector<int64_t> times;
  } seen = {&clock, {}};
  const auto callback = [](const rcl_time_jump_t *, bool, void * user_data) {
      Times & times = *static_cast<Times *>(user_data);
      rcl_time_point_value_t time = 0;
      EXPECT_EQ(RCL_RET_OK, rcl_clock_get_now(times.clock, &time));
      times.times.push_back(time);
    };
  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  ASSERT_EQ(RCL_RET_OK, rcl_clock_add_jump_callback(&clock, {true, {1}, {-1}}, callback, &seen));
  ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, 7));
  EXPECT_EQ(std::vector<int64_t>({0, 7}), seen.times);
}

TEST_F(RosClock, AddAndRemoveCallbacks)
{
  std::vector<Seen> first, second;
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, add(true, -1, 0, &first));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, add(true, 0, 1, &first));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_clock_add_jump_callback(&clock, {true, {0}, {0}}, nullptr, &first));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, add(true, 0, 0, &first));
  EXPECT_EQ(RCL_RET_ERROR, add(false, 1, 0, &first));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, add(true, 0, 0, &second));
  EXPECT_EQ(2u, clock.num_jump_callbacks);
  ASSERT_EQ(RCL_RET_OK, rcl_clock_remove_jump_callback(&clock, remember, &first));
  EXPECT_EQ(RCL_RET_ERROR, rcl_clock_remove_jump_callback(&clock, remember, &first));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(2u, second.size());
  ASSERT_EQ(RCL_RET_OK, rcl_clock_remove_jump_callback(&clock, remember, &second));
  EXPECT_EQ(nullptr, clock.jump_callbacks);
}

TEST_F(RosClock, ManyThreadsReadTheTime)
{
  ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(&clock));
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([this] {
        int64_t last = 0;
        while (last < 1000) {
          const int64_t time = now();
          EXPECT_GE(time, last);
          last = time;
        }
      });
  }
  for (int64_t time = 1; time <= 1000; ++time) {
    ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(&clock, time));
  }
  for (std::thread & reader : readers) {
    reader.join();
  }
}

}  // namespace
