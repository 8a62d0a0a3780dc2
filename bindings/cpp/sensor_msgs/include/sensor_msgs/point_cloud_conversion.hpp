// Converts between sensor_msgs/msg/PointCloud, which is deprecated, and sensor_msgs/msg/PointCloud2.
#ifndef SENSOR_MSGS__POINT_CLOUD_CONVERSION_HPP_
#define SENSOR_MSGS__POINT_CLOUD_CONVERSION_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sensor_msgs/impl/point_cloud2_iterator.hpp"
#include "sensor_msgs/msg/point_cloud.hpp"
#include "sensor_msgs/msg/point_cloud2.hpp"
#include "sensor_msgs/point_field_conversion.hpp"

namespace sensor_msgs
{

/// Returns the index of a field, or -1.
inline int getPointCloud2FieldIndex(const msg::PointCloud2 & cloud, const std::string & field_name)
{
  for (size_t index = 0; index < cloud.fields.size(); ++index) {
    if (cloud.fields[index].name == field_name) {
      return static_cast<int>(index);
    }
  }
  return -1;
}

namespace detail
{

/// Adds a field of the datatype FLOAT32 behind the last one.
inline void add_float_field(msg::PointCloud2 & cloud, const std::string & name)
{
  msg::PointField field;
  field.name = name;
  field.offset = cloud.point_step;
  field.datatype = msg::PointField::FLOAT32;
  field.count = 1;
  cloud.fields.push_back(field);
  cloud.point_step += static_cast<uint32_t>(sizeof(float));
}

/// Returns whether the data has a field of all points. A datatype that is unknown has no bytes.
inline bool has_values(const msg::PointCloud2 & cloud, const msg::PointField & field)
{
  const bool is_known = field.datatype >= msg::PointField::INT8 && field.datatype <= msg::PointField::FLOAT64;
  const uint64_t field_size = is_known ? static_cast<uint64_t>(sizeOfPointField(field.datatype)) : 0;
  if (cloud.width == 0 || cloud.height == 0) {
    return true;
  }
  const uint64_t size = cloud.data.size();
  const uint64_t rows = uint64_t{cloud.height - 1} * cloud.row_step;
  const uint64_t columns = uint64_t{cloud.width - 1} * cloud.point_step;
  // Steps of 0 bytes would make any number of points of a few bytes.
  return uint64_t{cloud.width} * cloud.height <= size && rows <= size && columns <= size - rows &&
         field.offset + field_size <= size - rows - columns;
}

/// Reads the field of a point as float.
inline float read_float(const msg::PointCloud2 & cloud, int field, size_t point)
{
  const msg::PointField & found = cloud.fields[static_cast<size_t>(field)];
  const size_t row = point / cloud.width;
  const size_t column = point % cloud.width;
  const size_t place = row * cloud.row_step + column * cloud.point_step + found.offset;
  return readPointCloud2BufferValue<float>(&cloud.data[place], found.datatype);
}

}  // namespace detail

/// Converts to a cloud of one row with the fields x, y, z and one for each channel. Returns true.
inline bool convertPointCloudToPointCloud2(const msg::PointCloud & input, msg::PointCloud2 & output)
{
  output.header = input.header;
  output.width = static_cast<uint32_t>(input.points.size());
  output.height = 1;
  output.fields.clear();
  output.point_step = 0;
  for (const char * name : {"x", "y", "z"}) {
    detail::add_float_field(output, name);
  }
  for (const auto & channel : input.channels) {
    detail::add_float_field(output, channel.name);
  }
  output.row_step = output.point_step * output.width;
  output.is_bigendian = false;
  output.is_dense = false;
  output.data.assign(output.row_step, 0);
  unsigned char * place = output.data.data();
  const auto write = [&place](float value) {
      std::memcpy(place, &value, sizeof(value));
      place += sizeof(value);
    };
  for (size_t point = 0; point < input.points.size(); ++point) {
    write(input.points[point].x);
    write(input.points[point].y);
    write(input.points[point].z);
    for (const auto & channel : input.channels) {
      write(point < channel.values.size() ? channel.values[point] : 0.0f);
    }
  }
  return true;
}

/// Converts all fields to channels. Returns false if there is no field x, y or z, or if there is less data than points.
inline bool convertPointCloud2ToPointCloud(const msg::PointCloud2 & input, msg::PointCloud & output)
{
  const int x = getPointCloud2FieldIndex(input, "x");
  const int y = getPointCloud2FieldIndex(input, "y");
  const int z = getPointCloud2FieldIndex(input, "z");
  if (x < 0 || y < 0 || z < 0) {
    return false;
  }
  for (const msg::PointField & field : input.fields) {
    if (!detail::has_values(input, field)) {
      return false;
    }
  }
  output.header = input.header;
  output.points.resize(size_t{input.width} * input.height);
  output.channels.clear();
  for (int field = 0; field < static_cast<int>(input.fields.size()); ++field) {
    if (field != x && field != y && field != z) {
      output.channels.emplace_back().name = input.fields[static_cast<size_t>(field)].name;
    }
  }
  for (size_t point = 0; point < output.points.size(); ++point) {
    output.points[point].x = detail::read_float(input, x, point);
    output.points[point].y = detail::read_float(input, y, point);
    output.points[point].z = detail::read_float(input, z, point);
  }
  for (auto & channel : output.channels) {
    const int field = getPointCloud2FieldIndex(input, channel.name);
    channel.values.reserve(output.points.size());
    for (size_t point = 0; point < output.points.size(); ++point) {
      channel.values.push_back(detail::read_float(input, field, point));
    }
  }
  return true;
}

}  // namespace sensor_msgs

#endif  // SENSOR_MSGS__POINT_CLOUD_CONVERSION_HPP_
