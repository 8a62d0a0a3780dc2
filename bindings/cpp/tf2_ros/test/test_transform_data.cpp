// Data of a type of its own is transformed.
#include <string>

#include "fixture.hpp"
#include "tf2_ros/buffer.h"

namespace
{

/// A place on a line, with a frame and a time.
struct Place
{
  double x = 0.0;
  std::string frame;
  tf2::TimePoint time;
};

/// The same in centimetres.
struct Centimetres
{
  double x = 0.0;
};

}  // namespace

namespace tf2
{

template<>
tf2::TimePoint getTimestamp(const Place & place) {return place.time;}

template<>
std::string getFrameId(const Place & place) {return place.frame;}

template<>
void doTransform(const Place & in, Place & out, const geometry_msgs::msg::TransformStamped & transform)
{
  out.x = in.x + transform.transform.translation.x;
  out.frame = transform.header.frame_id;
  out.time = in.time;
}

template<>
void convert(const Place & in, Centimetres & out) {out.x = in.x * 100.0;}

}  // namespace tf2

namespace
{

class TransformData : public testing::Test
{
protected:
  void SetUp() override
  {
    for (int second = 1; second <= 2; ++second) {
      buffer.setTransform(translated("map", "base", second, rclcpp::Time(second, 0)), "test");
    }
  }

  tf2_ros::Buffer buffer{std::make_shared<rclcpp::Clock>()};
  const Place place{0.5, "base", tf2::TimePoint(1s)};
};

TEST_F(TransformData, into_a_frame)
{
  Place out;
  EXPECT_EQ(1.5, buffer.transform(place, out, "map").x);
  EXPECT_EQ("map", out.frame);
  EXPECT_EQ(1.5, buffer.transform(place, "map").x);
  EXPECT_THROW(buffer.transform(place, "moon"), tf2::LookupException);
}

TEST_F(TransformData, into_a_frame_at_another_time)
{
  Place out;
  EXPECT_EQ(-0.5, buffer.transform(place, out, "base", tf2::TimePoint(2s), "map").x);
  EXPECT_EQ(-0.5, buffer.transform(place, "base", tf2::TimePoint(2s), "map").x);
}

TEST_F(TransformData, into_another_type)
{
  Centimetres out;
  EXPECT_EQ(150.0, buffer.transform(place, out, "map").x);
  EXPECT_EQ(-50.0, buffer.transform(place, out, "base", tf2::TimePoint(2s), "map").x);
}

}  // namespace
