#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

#include "../../tf2_geometry_msgs/test/independent.hpp"
#include "tf2_sensor_msgs/tf2_sensor_msgs.h"

namespace
{

using sensor_msgs::PointCloud2ConstIterator;
using sensor_msgs::PointCloud2Iterator;
using sensor_msgs::PointCloud2Modifier;
using sensor_msgs::msg::PointCloud2;
using sensor_msgs::msg::PointField;

PointCloud2 some_cloud(int datatype, uint32_t padding)
{
  PointCloud2 cloud;
  set_header(cloud.header);
  PointCloud2Modifier modifier(cloud);
  modifier.setPointCloud2Fields(
    4, "x", 1, datatype, "y", 1, datatype, "z", 1, datatype, "intensity", 2, PointField::FLOAT32);
  modifier.resize(3, 2);
  cloud.row_step += padding;
  cloud.data.assign(size_t{2} * cloud.row_step, 0xEE);
  return cloud;
}

template<typename T>
void check(int datatype, uint32_t padding)
{
  const geometry_msgs::msg::TransformStamped transform = random_transform();
  PointCloud2 in = some_cloud(datatype, padding);
  std::vector<Vector> points;
  PointCloud2Iterator<float> intensity(in, "intensity");
  for (PointCloud2Iterator<T> x(in, "x"); x != x.end(); ++x, ++intensity) {
    for (size_t i = 0; i < 3; ++i) {
      x[i] = static_cast<T>(random_number());
    }
    points.push_back({x[0], x[1], x[2]});
    *intensity = static_cast<float>(points.size());
  }
  ASSERT_EQ(6u, points.size());

  PointCloud2 out;
  tf2::doTransform(in, out, transform);
  expect_header_of_transform(out.header);
  EXPECT_EQ(in.fields, out.fields);
  EXPECT_EQ(in.row_step, out.row_step);
  EXPECT_EQ(in.data.back(), out.data.back());
  PointCloud2ConstIterator<T> x(out, "x");
  PointCloud2ConstIterator<float> copied(out, "intensity");
  for (size_t point = 0; point < points.size(); ++point, ++x, ++copied) {
    const Vector expected = transform_point(transform.transform, points[point]);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(expected[i], x[i], 1e-5);
    }
    EXPECT_EQ(static_cast<float>(point + 1), *copied);
  }
  EXPECT_FALSE(x != x.end());
  tf2::doTransform(in, in, transform);
  EXPECT_EQ(out, in);
}

TEST(Tf2SensorMsgs, Floats)
{
  check<float>(PointField::FLOAT32, 0);
  check<float>(PointField::FLOAT32, 8);
}

TEST(Tf2SensorMsgs, Doubles)
{
  check<double>(PointField::FLOAT64, 0);
  check<double>(PointField::FLOAT64, 8);
}

TEST(Tf2SensorMsgs, TimeAndFrame)
{
  const PointCloud2 cloud = some_cloud(PointField::FLOAT32, 0);
  EXPECT_EQ("in", tf2::getFrameId(cloud));
  EXPECT_EQ(tf2::TimePoint(std::chrono::nanoseconds(11000000012)), tf2::getTimestamp(cloud));
  EXPECT_EQ(cloud, tf2::toMsg(cloud));
  PointCloud2 copy;
  tf2::fromMsg(cloud, copy);
  EXPECT_EQ(cloud, copy);
}

TEST(Tf2SensorMsgs, WithoutCoordinatesItThrows)
{
  PointCloud2 in, out;
  EXPECT_THROW(tf2::doTransform(in, out, random_transform()), std::runtime_error);
}

TEST(Tf2SensorMsgs, AnEmptyCloudHasNoPoints)
{
  PointCloud2 in, out;
  PointCloud2Modifier(in).setPointCloud2FieldsByString(1, "xyz");
  tf2::doTransform(in, out, random_transform());
  EXPECT_TRUE(out.data.empty());
}

}  // namespace
