// Sets the fields of a sensor_msgs/msg/PointCloud2, and iterates over its points.
#ifndef SENSOR_MSGS__POINT_CLOUD2_ITERATOR_HPP_
#define SENSOR_MSGS__POINT_CLOUD2_ITERATOR_HPP_

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sensor_msgs/impl/point_cloud2_iterator.hpp"
#include "sensor_msgs/msg/point_cloud2.hpp"

namespace sensor_msgs
{

/// Sets the fields and the size of a cloud.
class PointCloud2Modifier
{
public:
  /// The cloud must outlive the modifier.
  explicit PointCloud2Modifier(msg::PointCloud2 & cloud_msg)
  : cloud_msg_(cloud_msg) {}

  /// Returns the number of points.
  size_t size() const {return cloud_msg_.point_step == 0 ? 0 : cloud_msg_.data.size() / cloud_msg_.point_step;}

  /// Reserves memory for points.
  void reserve(size_t size) {cloud_msg_.data.reserve(size * cloud_msg_.point_step);}

  /// Makes a cloud of `size` points: a row, or a column if the cloud has several rows of one point. A cloud that has this many
  /// points keeps its rows.
  void resize(size_t size)
  {
    if (size_t{cloud_msg_.width} * cloud_msg_.height == size) {
      resize(cloud_msg_.width, cloud_msg_.height);
      return;
    }
    const bool is_column = cloud_msg_.height > 1 && cloud_msg_.width == 1;
    const uint32_t count = static_cast<uint32_t>(size);
    resize(is_column ? 1 : count, is_column ? count : 1);
  }

  /// Makes a cloud of `height` rows of `width` points.
  void resize(uint32_t width, uint32_t height)
  {
    cloud_msg_.width = width;
    cloud_msg_.height = height;
    cloud_msg_.row_step = width * cloud_msg_.point_step;
    cloud_msg_.data.resize(size_t{cloud_msg_.height} * cloud_msg_.row_step);
  }

  /// Removes all points. A row stays a row, and a column a column.
  void clear()
  {
    const bool is_row = cloud_msg_.height == 1;
    const bool is_column = !is_row && cloud_msg_.width == 1;
    resize(is_column ? 1 : 0, is_row ? 1 : 0);
  }

  /// Sets `n_fields` fields, one behind the other. Each is a name (const char *), a count (int) and a datatype (int).
  void setPointCloud2Fields(int n_fields, ...)
  {
    std::vector<Field> fields;
    std::va_list arguments;
    va_start(arguments, n_fields);
    for (int field = 0; field < n_fields; ++field) {
      const char * name = va_arg(arguments, const char *);
      const int count = va_arg(arguments, int);
      fields.push_back({name, count, va_arg(arguments, int)});
    }
    va_end(arguments);
    cloud_msg_.fields.clear();
    int offset = 0;
    for (const Field & field : fields) {
      offset = addPointField(cloud_msg_, field.name, field.count, field.datatype, offset);
    }
    set_point_step(offset);
  }

  /// Sets `n_fields` groups of fields (const char *): "xyz" takes 16 bytes, "rgb" and "rgba" too.
  ///
  /// Throws std::runtime_error for other names.
  void setPointCloud2FieldsByString(int n_fields, ...)
  {
    std::vector<std::string> groups;
    std::va_list arguments;
    va_start(arguments, n_fields);
    for (int field = 0; field < n_fields; ++field) {
      groups.push_back(va_arg(arguments, const char *));
    }
    va_end(arguments);
    cloud_msg_.fields.clear();
    int offset = 0;
    for (const std::string & group : groups) {
      offset = add_group(group, offset);
    }
    set_point_step(offset);
  }

protected:
  msg::PointCloud2 & cloud_msg_;

private:
  struct Field
  {
    const char * name;
    int count;
    int datatype;
  };

  int add_group(const std::string & name, int offset)
  {
    if (name == "xyz") {
      for (const char * coordinate : {"x", "y", "z"}) {
        offset = addPointField(cloud_msg_, coordinate, 1, msg::PointField::FLOAT32, offset);
      }
      return offset + static_cast<int>(sizeof(float));
    }
    if (name == "rgb" || name == "rgba") {
      return addPointField(cloud_msg_, name, 1, msg::PointField::FLOAT32, offset) + 3 * static_cast<int>(sizeof(float));
    }
    throw std::runtime_error("Field " + name + " does not exist");
  }

  void set_point_step(int point_step)
  {
    cloud_msg_.point_step = static_cast<uint32_t>(point_step);
    resize(cloud_msg_.width, cloud_msg_.height);
  }
};

/// Iterates over a field of a cloud that may be written to. The cloud must not change its size meanwhile.
template<typename T>
class PointCloud2Iterator
  : public impl::PointCloud2IteratorBase<T, T, unsigned char, msg::PointCloud2, PointCloud2Iterator>
{
public:
  /// Throws std::runtime_error if there is no such field in the bytes of a point.
  PointCloud2Iterator(msg::PointCloud2 & cloud_msg, const std::string & field_name)
  : impl::PointCloud2IteratorBase<T, T, unsigned char, msg::PointCloud2, PointCloud2Iterator>(cloud_msg, field_name) {}
};

/// Iterates over a field of a cloud. The cloud must not change its size meanwhile.
template<typename T>
class PointCloud2ConstIterator
  : public impl::PointCloud2IteratorBase<
    T, const T, const unsigned char, const msg::PointCloud2, PointCloud2ConstIterator>
{
public:
  /// Throws std::runtime_error if there is no such field in the bytes of a point.
  PointCloud2ConstIterator(const msg::PointCloud2 & cloud_msg, const std::string & field_name)
  : impl::PointCloud2IteratorBase<
      T, const T, const unsigned char, const msg::PointCloud2, PointCloud2ConstIterator>(cloud_msg, field_name) {}
};

}  // namespace sensor_msgs

#endif  // SENSOR_MSGS__POINT_CLOUD2_ITERATOR_HPP_
