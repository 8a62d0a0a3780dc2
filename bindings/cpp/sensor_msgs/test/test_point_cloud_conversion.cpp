#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sensor_msgs/point_cloud_conversion.hpp"

namespace
{

using sensor_msgs::msg::PointCloud;
using sensor_msgs::msg::PointCloud2;

/// Returns a cloud of three points with two channels, one of which lacks values.
PointCloud new_cloud()
{
  PointCloud cloud;
  cloud.header.frame_id = "laser";
  cloud.points.resize(3);
  for (size_t point = 0; point < 3; ++point) {
    cloud.points[point].x = static_cast<float>(point);
    cloud.points[point].z = -1.0f;
  }
  cloud.channels.resize(2);
  cloud.channels[0].name = "intensity";
  cloud.channels[0].values = {7, 8, 9};
  cloud.channels[1].name = "index";
  cloud.channels[1].values = {5};
  return cloud;
}

TEST(PointCloudConversion, there_and_back)
{
  const PointCloud cloud = new_cloud();
  PointCloud2 converted;
  ASSERT_TRUE(sensor_msgs::convertPointCloudToPointCloud2(cloud, converted));
  EXPECT_EQ("laser", converted.header.frame_id);
  EXPECT_EQ(3u, converted.width);
  EXPECT_EQ(1u, converted.height);
  EXPECT_EQ(20u, converted.point_step);
  EXPECT_EQ(3, sensor_msgs::getPointCloud2FieldIndex(converted, "intensity"));
  EXPECT_EQ(-1, sensor_msgs::getPointCloud2FieldIndex(converted, "rgb"));
  PointCloud back;
  ASSERT_TRUE(sensor_msgs::convertPointCloud2ToPointCloud(converted, back));
  EXPECT_EQ(cloud.points, back.points);
  ASSERT_EQ(2u, back.channels.size());
  EXPECT_EQ(cloud.channels[0], back.channels[0]);
  EXPECT_EQ(std::vector<float>({5, 0, 0}), back.channels[1].values);
}

TEST(PointCloudConversion, clouds_without_points)
{
  PointCloud2 converted;
  PointCloud back;
  EXPECT_TRUE(sensor_msgs::convertPointCloudToPointCloud2(PointCloud(), converted));
  EXPECT_TRUE(converted.data.empty());
  EXPECT_TRUE(sensor_msgs::convertPointCloud2ToPointCloud(converted, back));
  EXPECT_TRUE(back.points.empty());
  EXPECT_FALSE(sensor_msgs::convertPointCloud2ToPointCloud(PointCloud2(), back));
}

TEST(PointCloudConversion, clouds_with_less_data_than_points_are_refused)
{
  PointCloud2 good;
  PointCloud back;
  sensor_msgs::convertPointCloudToPointCloud2(new_cloud(), good);
  const auto is_refused = [&](auto change) {
      PointCloud2 cloud = good;
      change(cloud);
      return !sensor_msgs::convertPointCloud2ToPointCloud(cloud, back);
    };
  constexpr uint32_t LARGEST = std::numeric_limits<uint32_t>::max();
  EXPECT_FALSE(is_refused([](PointCloud2 &) {}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.data.pop_back();}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.data.clear();}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.width = 4;}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.height = 2;}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.fields[4].offset = 17;}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.fields[4].offset = LARGEST;}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.width = cloud.height = cloud.row_step = LARGEST;}));
  EXPECT_TRUE(is_refused([](PointCloud2 & cloud) {cloud.width = LARGEST; cloud.point_step = 0;}));
  EXPECT_FALSE(is_refused([](PointCloud2 & cloud) {cloud.fields[4].datatype = 77;}));
}

}  // namespace
