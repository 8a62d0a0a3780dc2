// What the iterators of sensor_msgs/point_cloud2_iterator.hpp consist of.
#ifndef SENSOR_MSGS__IMPL__POINT_CLOUD2_ITERATOR_HPP_
#define SENSOR_MSGS__IMPL__POINT_CLOUD2_ITERATOR_HPP_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sensor_msgs/msg/point_cloud2.hpp"
#include "sensor_msgs/msg/point_field.hpp"

/// Returns the bytes of a datatype of PointField. Throws std::runtime_error if it is unknown.
inline int sizeOfPointField(int datatype)
{
  using sensor_msgs::msg::PointField;
  switch (datatype) {
    case PointField::INT8:
    case PointField::UINT8: return 1;
    case PointField::INT16:
    case PointField::UINT16: return 2;
    case PointField::INT32:
    case PointField::UINT32:
    case PointField::FLOAT32: return 4;
    case PointField::FLOAT64: return 8;
    default:
      throw std::runtime_error("PointField of type " + std::to_string(datatype) + " does not exist");
  }
}

/// Adds a field of `count` numbers to a cloud. Returns the offset behind it.
inline int addPointField(
  sensor_msgs::msg::PointCloud2 & cloud_msg, const std::string & name, int count, int datatype, int offset)
{
  sensor_msgs::msg::PointField field;
  field.name = name;
  field.count = static_cast<uint32_t>(count);
  field.datatype = static_cast<uint8_t>(datatype);
  field.offset = static_cast<uint32_t>(offset);
  cloud_msg.fields.push_back(field);
  return offset + count * sizeOfPointField(datatype);
}

namespace sensor_msgs::impl
{

/// Returns the offset of a field in a point. Throws std::runtime_error if there is no such field.
///
/// The names r, g, b and a mean a byte of the field rgb or rgba, which is a number 0xAARRGGBB.
inline uint32_t offset_of_field(const msg::PointCloud2 & cloud_msg, const std::string & field_name)
{
  for (const auto & field : cloud_msg.fields) {
    if (field.name == field_name) {
      return field.offset;
    }
  }
  const std::string bytes = cloud_msg.is_bigendian ? "argb" : "bgra";
  const size_t byte = field_name.size() == 1 ? bytes.find(field_name) : std::string::npos;
  for (const auto & field : cloud_msg.fields) {
    if (byte != std::string::npos && (field.name == "rgb" || field.name == "rgba")) {
      return field.offset + static_cast<uint32_t>(byte);
    }
  }
  throw std::runtime_error("Field " + field_name + " does not exist");
}

/// An iterator over a field of all points of a cloud. Bytes behind the points of a row are skipped.
///
/// T: the type of the field. TT: T or const T. U: unsigned char or const unsigned char. C: PointCloud2 or const
/// PointCloud2. V: the iterator.
template<typename T, typename TT, typename U, typename C, template<typename> class V>
class PointCloud2IteratorBase
{
public:
  PointCloud2IteratorBase() = default;

  PointCloud2IteratorBase(C & cloud_msg, const std::string & field_name)
  : point_step_(cloud_msg.point_step), row_step_(cloud_msg.row_step)
  {
    const uint32_t offset = offset_of_field(cloud_msg, field_name);
    const size_t row_size = size_t{cloud_msg.width} * point_step_;
    size_t size = point_step_ == 0 ? 0 : cloud_msg.data.size() / point_step_ * point_step_;
    // Without padding, the number of points is that of the data, whatever the width and the height are.
    if (row_size > 0 && row_step_ > row_size) {
      padding_ = row_step_ - row_size;
      size = cloud_msg.data.size() / row_step_ * row_step_;
    }
    // Otherwise the field of the last point would be behind the data.
    if (size > 0 && size_t{offset} + sizeof(T) > point_step_) {
      throw std::runtime_error("Field " + field_name + " is not in the bytes of a point");
    }
    begin_ = cloud_msg.data.data() + (size == 0 ? 0 : offset);
    data_ = begin_;
    row_end_ = begin_ + row_size;
    end_ = begin_ + size;
  }

  V<T> & operator=(const V<T> & iter)
  {
    if (this != &iter) {
      const PointCloud2IteratorBase & other = iter;
      point_step_ = other.point_step_;
      row_step_ = other.row_step_;
      padding_ = other.padding_;
      begin_ = other.begin_;
      data_ = other.data_;
      row_end_ = other.row_end_;
      end_ = other.end_;
    }
    return self();
  }

  /// Returns the number `i` places behind the field, for example z for an iterator over x and i = 2.
  TT & operator[](size_t i) const {return data()[i];}

  TT & operator*() const {return *data();}

  /// Moves to the next point.
  V<T> & operator++()
  {
    data_ += point_step_;
    if (padding_ > 0 && data_ == row_end_) {
      data_ += padding_;
      row_end_ += row_step_;
    }
    return self();
  }

  /// Returns an iterator `i` points ahead.
  V<T> operator+(int i) const
  {
    V<T> moved(self());
    moved += i;
    return moved;
  }

  /// Moves `i` points ahead, or back.
  V<T> & operator+=(int i)
  {
    if (padding_ == 0) {
      data_ += static_cast<std::ptrdiff_t>(point_step_) * i;
      return self();
    }
    const std::ptrdiff_t width = static_cast<std::ptrdiff_t>((row_step_ - padding_) / point_step_);
    const std::ptrdiff_t row_step = static_cast<std::ptrdiff_t>(row_step_);
    const std::ptrdiff_t place = data_ - begin_;
    const std::ptrdiff_t column = place % row_step / static_cast<std::ptrdiff_t>(point_step_);
    const std::ptrdiff_t point = place / row_step * width + column + i;
    const std::ptrdiff_t row = point / width;
    data_ = begin_ + row * row_step + point % width * static_cast<std::ptrdiff_t>(point_step_);
    row_end_ = begin_ + (row + 1) * row_step - static_cast<std::ptrdiff_t>(padding_);
    return self();
  }

  bool operator!=(const V<T> & iter) const
  {
    const PointCloud2IteratorBase & other = iter;
    return data_ != other.data_;
  }

  /// Returns the iterator behind the last point.
  V<T> end() const
  {
    V<T> moved(self());
    static_cast<PointCloud2IteratorBase &>(moved).data_ = end_;
    return moved;
  }

private:
  V<T> & self() {return *static_cast<V<T> *>(this);}
  const V<T> & self() const {return *static_cast<const V<T> *>(this);}

  TT * data() const {return reinterpret_cast<TT *>(data_);}

  size_t point_step_ = 0;
  size_t row_step_ = 0;
  /// The bytes between the last point of a row and the next row.
  size_t padding_ = 0;
  U * begin_ = nullptr;
  U * data_ = nullptr;
  /// The place behind the last point of this row.
  U * row_end_ = nullptr;
  U * end_ = nullptr;
};

}  // namespace sensor_msgs::impl

#endif  // SENSOR_MSGS__IMPL__POINT_CLOUD2_ITERATOR_HPP_
