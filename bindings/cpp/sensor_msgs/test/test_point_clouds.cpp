#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "sensor_msgs/point_cloud2_iterator.hpp"
#include "sensor_msgs/point_field_conversion.hpp"

namespace
{

using sensor_msgs::PointCloud2ConstIterator;
using sensor_msgs::PointCloud2Iterator;
using sensor_msgs::PointCloud2Modifier;
using sensor_msgs::msg::PointCloud2;
using sensor_msgs::msg::PointField;

/// Returns a cloud with the fields x, y, z and rgb.
PointCloud2 new_cloud(uint32_t width, uint32_t height)
{
  PointCloud2 cloud;
  PointCloud2Modifier modifier(cloud);
  modifier.setPointCloud2FieldsByString(2, "xyz", "rgb");
  modifier.resize(width, height);
  return cloud;
}

TEST(PointCloud2Modifier, groups_of_fields)
{
  const PointCloud2 cloud = new_cloud(3, 2);
  ASSERT_EQ(4u, cloud.fields.size());
  EXPECT_EQ("z", cloud.fields[2].name);
  EXPECT_EQ(8u, cloud.fields[2].offset);
  EXPECT_EQ("rgb", cloud.fields[3].name);
  EXPECT_EQ(16u, cloud.fields[3].offset);
  EXPECT_EQ(PointField::FLOAT32, cloud.fields[3].datatype);
  EXPECT_EQ(32u, cloud.point_step);
  EXPECT_EQ(96u, cloud.row_step);
  EXPECT_EQ(192u, cloud.data.size());
  PointCloud2 other;
  EXPECT_THROW(PointCloud2Modifier(other).setPointCloud2FieldsByString(1, "normal"), std::runtime_error);
}

TEST(PointCloud2Modifier, fields_of_any_type)
{
  PointCloud2 cloud;
  PointCloud2Modifier modifier(cloud);
  modifier.setPointCloud2Fields(
    3, "x", 1, PointField::FLOAT64, "ring", 1, PointField::UINT16, "descriptor", 3, PointField::INT8);
  EXPECT_EQ(13u, cloud.point_step);
  EXPECT_EQ(8u, cloud.fields[1].offset);
  EXPECT_EQ(10u, cloud.fields[2].offset);
  EXPECT_EQ(3u, cloud.fields[2].count);
  EXPECT_THROW(modifier.setPointCloud2Fields(1, "x", 1, 99), std::runtime_error);
}

TEST(PointCloud2Modifier, the_shape_of_a_cloud)
{
  PointCloud2 cloud = new_cloud(3, 3);
  PointCloud2Modifier modifier(cloud);
  EXPECT_EQ(9u, modifier.size());
  modifier.resize(9);
  EXPECT_EQ(3u, cloud.height);
  modifier.resize(10);
  EXPECT_EQ(1u, cloud.height);
  EXPECT_EQ(10u, cloud.width);
  EXPECT_EQ(320u, cloud.row_step);
  modifier.clear();
  EXPECT_EQ(0u, modifier.size());
  EXPECT_EQ(1u, cloud.height);
  EXPECT_EQ(0u, cloud.width);
  modifier.resize(1, 4);
  modifier.resize(5);
  EXPECT_EQ(5u, cloud.height);
  EXPECT_EQ(1u, cloud.width);
  EXPECT_EQ(32u, cloud.row_step);
  modifier.reserve(100);
  EXPECT_GE(cloud.data.capacity(), 3200u);
  PointCloud2 without_fields;
  EXPECT_EQ(0u, PointCloud2Modifier(without_fields).size());
}

TEST(PointCloud2Iterator, points_are_written_and_read)
{
  PointCloud2 cloud = new_cloud(4, 1);
  float value = 0;
  PointCloud2Iterator<float> x(cloud, "x");
  PointCloud2Iterator<uint8_t> red(cloud, "r"), green(cloud, "g"), blue(cloud, "b");
  for (; x != x.end(); ++x, ++red, ++green, ++blue) {
    x[0] = ++value;
    x[1] = value * 10;
    x[2] = value * 100;
    *red = 1;
    *green = 2;
    *blue = 3;
  }
  EXPECT_EQ(4.0f, value);
  PointCloud2ConstIterator<float> z(cloud, "z");
  PointCloud2ConstIterator<uint32_t> color(cloud, "rgb");
  EXPECT_EQ(100.0f, *z);
  EXPECT_EQ(300.0f, *(z + 2));
  z += 3;
  EXPECT_EQ(400.0f, *z);
  EXPECT_EQ(0x010203u, *color);
  EXPECT_FALSE(++z != z.end());
}

TEST(PointCloud2Iterator, bytes_of_colors_in_big_endian)
{
  PointCloud2 cloud = new_cloud(1, 1);
  cloud.is_bigendian = true;
  PointCloud2Iterator<uint8_t> alpha(cloud, "a"), blue(cloud, "b");
  EXPECT_EQ(3, &*blue - &*alpha);
}

TEST(PointCloud2Iterator, rows_may_have_bytes_behind_the_points)
{
  PointCloud2 cloud = new_cloud(2, 3);
  cloud.row_step = 2 * cloud.point_step + 7;
  cloud.data.assign(size_t{cloud.row_step} * cloud.height, 0);
  float value = 0;
  for (PointCloud2Iterator<float> x(cloud, "x"); x != x.end(); ++x) {
    sensor_msgs::writePointCloud2BufferValue<PointField::FLOAT32>(reinterpret_cast<unsigned char *>(&*x), ++value);
  }
  EXPECT_EQ(6.0f, value);
  const size_t last = 2 * cloud.row_step + cloud.point_step;
  EXPECT_EQ(6.0f, (sensor_msgs::readPointCloud2BufferValue<PointField::FLOAT32, float>(&cloud.data[last])));
  PointCloud2Iterator<float> x(cloud, "x");
  EXPECT_EQ(&cloud.data[last], reinterpret_cast<unsigned char *>(&*(x + 5)));
  EXPECT_FALSE(x + 6 != x.end());
  EXPECT_EQ(&cloud.data[0], reinterpret_cast<unsigned char *>(&*((x + 5) + -5)));
}

TEST(PointCloud2Iterator, fields_that_are_not_there)
{
  PointCloud2 cloud = new_cloud(2, 1);
  EXPECT_THROW(PointCloud2Iterator<float>(cloud, "intensity"), std::runtime_error);
  EXPECT_THROW(PointCloud2Iterator<float>(cloud, ""), std::runtime_error);
  cloud.fields.pop_back();
  EXPECT_THROW(PointCloud2Iterator<uint8_t>(cloud, "r"), std::runtime_error);
  PointCloud2 without_fields;
  EXPECT_THROW(PointCloud2ConstIterator<float>(without_fields, "x"), std::runtime_error);
}

TEST(PointCloud2Iterator, clouds_without_points)
{
  PointCloud2 cloud = new_cloud(0, 1);
  PointCloud2Iterator<float> x(cloud, "x");
  EXPECT_FALSE(x != x.end());
  cloud.point_step = 0;
  cloud.data.assign(5, 0);
  PointCloud2Iterator<float> without_step(cloud, "x");
  EXPECT_FALSE(without_step != without_step.end());
}

TEST(PointCloud2Iterator, sizes_that_do_not_fit_the_data)
{
  PointCloud2 cloud = new_cloud(3, 1);
  // More data than points: they are points, too. A part of a point is none.
  cloud.data.resize(4 * cloud.point_step + 5);
  int points = 0;
  for (PointCloud2Iterator<float> x(cloud, "x"); x != x.end(); ++x) {
    ++points;
  }
  EXPECT_EQ(4, points);
  cloud.data.resize(cloud.point_step);
  cloud.width = std::numeric_limits<uint32_t>::max();
  cloud.height = std::numeric_limits<uint32_t>::max();
  PointCloud2Iterator<float> x(cloud, "x");
  EXPECT_FALSE(++x != x.end());
  cloud.fields[0].offset = 29;
  EXPECT_THROW(PointCloud2Iterator<float>(cloud, "x"), std::runtime_error);
  cloud.fields[0].offset = std::numeric_limits<uint32_t>::max();
  EXPECT_THROW(PointCloud2Iterator<float>(cloud, "x"), std::runtime_error);
  cloud.fields[0].offset = 28;
  EXPECT_EQ(0.0f, *PointCloud2Iterator<float>(cloud, "x"));
}

TEST(PointFieldConversion, each_datatype_is_read_and_written)
{
  for (unsigned char datatype = PointField::INT8; datatype <= PointField::FLOAT64; ++datatype) {
    unsigned char bytes[9] = {};
    sensor_msgs::writePointCloud2BufferValue(bytes + 1, datatype, 100);
    EXPECT_EQ(100.0, sensor_msgs::readPointCloud2BufferValue<double>(bytes + 1, datatype)) << int{datatype};
    EXPECT_EQ(0, bytes[0]);
  }
  unsigned char bytes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  sensor_msgs::writePointCloud2BufferValue(bytes, 0, 100);
  EXPECT_EQ(1, bytes[0]);
  EXPECT_EQ(0, sensor_msgs::readPointCloud2BufferValue<int>(bytes, 99));
  EXPECT_EQ(PointField::UINT16, sensor_msgs::typeAsPointFieldType<uint16_t>::value);
  EXPECT_EQ(8, sizeOfPointField(PointField::FLOAT64));
  EXPECT_THROW(sizeOfPointField(0), std::runtime_error);
}

}  // namespace
