#include <limits>

#include "random_rotations.hpp"
#include "tf2/buffer_core.h"
#include "tf2/exceptions.h"
#include "tf2/time.h"
#include "tf2/time_cache.h"

namespace
{

using namespace std::chrono_literals;
using tf2::TF2Error;
using tf2::TimePoint;

TimePoint at(tf2::Duration time) {return TimePoint(time);}

TEST(Time, conversions)
{
  EXPECT_EQ(1500ms, tf2::durationFromSec(1.5));
  EXPECT_EQ(-1500ms, tf2::durationFromSec(-1.5));
  EXPECT_EQ(1ns, tf2::durationFromSec(1e-9));
  EXPECT_EQ(at(3s), tf2::timeFromSec(3.0));
  EXPECT_EQ(1.5, tf2::durationToSec(1500ms));
  EXPECT_EQ(-1.0, tf2::timeToSec(at(-1s)));
  EXPECT_EQ(1e-9, tf2::timeToSec(at(1ns)));
  EXPECT_DOUBLE_EQ(1700000000.123456789, tf2::timeToSec(at(1700000000123456789ns)));
  EXPECT_NEAR(1700000000123456789.0, static_cast<double>(tf2::durationFromSec(1700000000.123456789).count()), 200.0);
  EXPECT_EQ(at(0ns), tf2::TimePointZero);
}

TEST(Time, limits)
{
  EXPECT_EQ(tf2::Duration::max(), tf2::durationFromSec(1e300));
  EXPECT_EQ(tf2::Duration::min(), tf2::durationFromSec(-1e300));
  EXPECT_EQ(0ns, tf2::durationFromSec(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(9223372035s, tf2::durationFromSec(9223372035.0));
}

TEST(Time, text)
{
  EXPECT_EQ("0.000000", tf2::displayTimePoint(at(0s)));
  EXPECT_EQ("1.500000", tf2::displayTimePoint(at(1500ms)));
  EXPECT_EQ("-1.000000", tf2::displayTimePoint(at(-1s)));
  const auto now = std::chrono::system_clock::now();
  EXPECT_GE(tf2::get_now(), std::chrono::time_point_cast<tf2::Duration>(now));
}

TEST(Exceptions, types)
{
  EXPECT_THROW(throw tf2::LookupException("x"), tf2::TransformException);
  EXPECT_THROW(throw tf2::ForwardExtrapolationException("x"), tf2::ExtrapolationException);
  EXPECT_THROW(throw tf2::BackwardExtrapolationException("x"), tf2::ExtrapolationException);
  EXPECT_THROW(throw tf2::NoDataForExtrapolationException("x"), tf2::ExtrapolationException);
  EXPECT_THROW(throw tf2::ConnectivityException("x"), std::runtime_error);
  EXPECT_THROW(throw tf2::InvalidArgumentException("x"), tf2::TransformException);
  EXPECT_STREQ("text", tf2::TimeoutException("text").what());
}

tf2::TransformStorage storage(tf2::Duration time, double x, tf2::CompactFrameID parent = 1)
{
  const tf2::Quaternion rotation(tf2::Vector3(0, 0, 1), x * 0.1);
  return tf2::TransformStorage(at(time), rotation, tf2::Vector3(x, 0, 0), parent, 2);
}

class OpenCache : public tf2::TimeCache
{
public:
  using tf2::TimeCache::getAllItems;
};

TEST(TimeCache, interpolates_and_lists)
{
  OpenCache cache;
  EXPECT_TRUE(cache.insertData(storage(1s, 10)));
  EXPECT_TRUE(cache.insertData(storage(3s, 30)));
  EXPECT_TRUE(cache.insertData(storage(2s, 20)));
  EXPECT_EQ(3u, cache.getListLength());
  const std::list<tf2::TransformStorage> & all = cache.getAllItems();
  EXPECT_EQ((std::list<tf2::TransformStorage>{storage(3s, 30), storage(2s, 20), storage(1s, 10)}), all);
  tf2::TransformStorage found;
  ASSERT_TRUE(cache.getData(at(1250ms), found));
  EXPECT_NEAR(12.5, found.translation_.x(), 1e-12);
  EXPECT_NEAR(1.25, found.rotation_.getAngle(), 1e-12);
  EXPECT_EQ(at(1250ms), found.stamp_);
  EXPECT_EQ(1u, found.frame_id_);
  EXPECT_EQ(2u, found.child_frame_id_);
  ASSERT_TRUE(cache.getData(at(2s), found));
  EXPECT_EQ(storage(2s, 20), found);
  ASSERT_TRUE(cache.getData(at(1s), found));
  EXPECT_EQ(storage(1s, 10), found);
  ASSERT_TRUE(cache.getData(tf2::TimePointZero, found));
  EXPECT_EQ(storage(3s, 30), found);
}

TEST(TimeCache, reports_errors)
{
  tf2::TimeCache cache;
  tf2::TransformStorage found;
  std::string text;
  TF2Error code = TF2Error::TF2_NO_ERROR;
  EXPECT_FALSE(cache.getData(tf2::TimePointZero, found, &text, &code));
  EXPECT_EQ(TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR, code);
  cache.insertData(storage(2s, 20));
  EXPECT_FALSE(cache.getData(at(3s), found, &text, &code));
  EXPECT_EQ(TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR, code);
  cache.insertData(storage(4s, 40));
  EXPECT_FALSE(cache.getData(at(5s), found, &text, &code));
  EXPECT_EQ(TF2Error::TF2_FORWARD_EXTRAPOLATION_ERROR, code);
  EXPECT_NE(std::string::npos, text.find("5.000000"));
  EXPECT_NE(std::string::npos, text.find("4.000000"));
  EXPECT_FALSE(cache.getData(at(1s), found, &text, &code));
  EXPECT_EQ(TF2Error::TF2_BACKWARD_EXTRAPOLATION_ERROR, code);
  EXPECT_FALSE(cache.getData(at(1s), found));
  EXPECT_EQ(0u, cache.getParent(at(1s), &text, &code));
  EXPECT_EQ(1u, cache.getParent(at(3s), &text, &code));
}

TEST(TimeCache, forgets)
{
  tf2::TimeCache cache(2s);
  EXPECT_EQ(tf2::TimePointZero, cache.getLatestTimestamp());
  EXPECT_EQ(tf2::TimePointZero, cache.getOldestTimestamp());
  for (int second = 1; second <= 5; ++second) {
    EXPECT_TRUE(cache.insertData(storage(std::chrono::seconds(second), second)));
  }
  EXPECT_EQ(at(3s), cache.getOldestTimestamp());
  EXPECT_EQ(at(5s), cache.getLatestTimestamp());
  EXPECT_EQ(tf2::P_TimeAndFrameID(at(5s), 1u), cache.getLatestTimeAndParent());
  EXPECT_FALSE(cache.insertData(storage(2999ms, 0)));
  EXPECT_TRUE(cache.insertData(storage(3s, 99)));
  EXPECT_EQ(3u, cache.getListLength());
  tf2::TransformStorage found;
  ASSERT_TRUE(cache.getData(at(3s), found));
  EXPECT_EQ(99.0, found.translation_.x());
  cache.clearList();
  EXPECT_EQ(0u, cache.getListLength());
  EXPECT_EQ(tf2::P_TimeAndFrameID(tf2::TimePointZero, 0u), cache.getLatestTimeAndParent());
}

TEST(TimeCache, does_not_interpolate_between_parents)
{
  tf2::TimeCache cache;
  cache.insertData(storage(1s, 10, 1));
  cache.insertData(storage(2s, 20, 7));
  tf2::TransformStorage found;
  ASSERT_TRUE(cache.getData(at(1900ms), found));
  EXPECT_EQ(storage(1s, 10, 1), found);
  EXPECT_EQ(1u, cache.getParent(at(1900ms), nullptr, nullptr));
  EXPECT_EQ(7u, cache.getParent(at(2s), nullptr, nullptr));
}

TEST(TimeCache, against_a_straight_line)
{
  Random random;
  tf2::TimeCache cache(100s);
  for (int count = 0; count < 1000; ++count) {
    const double time = random.number(1.0, 60.0);
    cache.insertData(storage(tf2::durationFromSec(time), time));
  }
  for (int count = 0; count < 1000; ++count) {
    const double time = random.number(2.0, 59.0);
    tf2::TransformStorage found;
    ASSERT_TRUE(cache.getData(tf2::timeFromSec(time), found));
    EXPECT_NEAR(time, found.translation_.x(), 1e-8);
    EXPECT_NEAR(time * 0.1, found.rotation_.getAngle(), 1e-8);
  }
}

TEST(StaticCache, holds_for_all_times)
{
  tf2::StaticCache cache;
  EXPECT_TRUE(cache.insertData(storage(1s, 10, 3)));
  tf2::TransformStorage found;
  ASSERT_TRUE(cache.getData(at(99s), found));
  EXPECT_EQ(10.0, found.translation_.x());
  EXPECT_EQ(at(99s), found.stamp_);
  EXPECT_EQ(3u, cache.getParent(at(1s), nullptr, nullptr));
  EXPECT_EQ(tf2::P_TimeAndFrameID(tf2::TimePointZero, 3u), cache.getLatestTimeAndParent());
  EXPECT_EQ(1u, cache.getListLength());
  EXPECT_EQ(tf2::TimePointZero, cache.getLatestTimestamp());
  EXPECT_EQ(tf2::TimePointZero, cache.getOldestTimestamp());
  cache.clearList();
  EXPECT_EQ(1u, cache.getListLength());
}

}  // namespace
