// Reads and writes the values of the fields of a sensor_msgs/msg/PointCloud2.
#ifndef SENSOR_MSGS__POINT_FIELD_CONVERSION_HPP_
#define SENSOR_MSGS__POINT_FIELD_CONVERSION_HPP_

#include <cstdint>
#include <cstring>

#include "sensor_msgs/msg/point_field.hpp"

namespace sensor_msgs
{

/// The type in C++ of a datatype of PointField: the member `type`.
template<int>
struct pointFieldTypeAsType {};
template<>
struct pointFieldTypeAsType<msg::PointField::INT8> {using type = int8_t;};
template<>
struct pointFieldTypeAsType<msg::PointField::UINT8> {using type = uint8_t;};
template<>
struct pointFieldTypeAsType<msg::PointField::INT16> {using type = int16_t;};
template<>
struct pointFieldTypeAsType<msg::PointField::UINT16> {using type = uint16_t;};
template<>
struct pointFieldTypeAsType<msg::PointField::INT32> {using type = int32_t;};
template<>
struct pointFieldTypeAsType<msg::PointField::UINT32> {using type = uint32_t;};
template<>
struct pointFieldTypeAsType<msg::PointField::FLOAT32> {using type = float;};
template<>
struct pointFieldTypeAsType<msg::PointField::FLOAT64> {using type = double;};

/// The datatype of PointField of a type in C++: the member `value`.
template<typename T>
struct typeAsPointFieldType {};
template<>
struct typeAsPointFieldType<int8_t> {static constexpr uint8_t value = msg::PointField::INT8;};
template<>
struct typeAsPointFieldType<uint8_t> {static constexpr uint8_t value = msg::PointField::UINT8;};
template<>
struct typeAsPointFieldType<int16_t> {static constexpr uint8_t value = msg::PointField::INT16;};
template<>
struct typeAsPointFieldType<uint16_t> {static constexpr uint8_t value = msg::PointField::UINT16;};
template<>
struct typeAsPointFieldType<int32_t> {static constexpr uint8_t value = msg::PointField::INT32;};
template<>
struct typeAsPointFieldType<uint32_t> {static constexpr uint8_t value = msg::PointField::UINT32;};
template<>
struct typeAsPointFieldType<float> {static constexpr uint8_t value = msg::PointField::FLOAT32;};
template<>
struct typeAsPointFieldType<double> {static constexpr uint8_t value = msg::PointField::FLOAT64;};

/// Reads a value of a datatype that is known when compiling, and converts it to T.
template<int point_field_type, typename T>
inline T readPointCloud2BufferValue(const unsigned char * data_ptr)
{
  // The bytes of a cloud may not be aligned as numbers are.
  typename pointFieldTypeAsType<point_field_type>::type value;
  std::memcpy(&value, data_ptr, sizeof(value));
  return static_cast<T>(value);
}

/// Reads a value of a datatype, and converts it to T; returns T() if the datatype is unknown.
template<typename T>
inline T readPointCloud2BufferValue(const unsigned char * data_ptr, const unsigned char datatype)
{
  using msg::PointField;
  switch (datatype) {
    case PointField::INT8: return readPointCloud2BufferValue<PointField::INT8, T>(data_ptr);
    case PointField::UINT8: return readPointCloud2BufferValue<PointField::UINT8, T>(data_ptr);
    case PointField::INT16: return readPointCloud2BufferValue<PointField::INT16, T>(data_ptr);
    case PointField::UINT16: return readPointCloud2BufferValue<PointField::UINT16, T>(data_ptr);
    case PointField::INT32: return readPointCloud2BufferValue<PointField::INT32, T>(data_ptr);
    case PointField::UINT32: return readPointCloud2BufferValue<PointField::UINT32, T>(data_ptr);
    case PointField::FLOAT32: return readPointCloud2BufferValue<PointField::FLOAT32, T>(data_ptr);
    case PointField::FLOAT64: return readPointCloud2BufferValue<PointField::FLOAT64, T>(data_ptr);
    default: return T();
  }
}

/// Converts a value to a datatype that is known when compiling, and writes it.
template<int point_field_type, typename T>
inline void writePointCloud2BufferValue(unsigned char * data_ptr, T value)
{
  const auto converted = static_cast<typename pointFieldTypeAsType<point_field_type>::type>(value);
  std::memcpy(data_ptr, &converted, sizeof(converted));
}

/// Converts a value to a datatype, and writes it; writes nothing if the datatype is unknown.
template<typename T>
inline void writePointCloud2BufferValue(unsigned char * data_ptr, const unsigned char datatype, T value)
{
  using msg::PointField;
  switch (datatype) {
    case PointField::INT8: return writePointCloud2BufferValue<PointField::INT8, T>(data_ptr, value);
    case PointField::UINT8: return writePointCloud2BufferValue<PointField::UINT8, T>(data_ptr, value);
    case PointField::INT16: return writePointCloud2BufferValue<PointField::INT16, T>(data_ptr, value);
    case PointField::UINT16: return writePointCloud2BufferValue<PointField::UINT16, T>(data_ptr, value);
    case PointField::INT32: return writePointCloud2BufferValue<PointField::INT32, T>(data_ptr, value);
    case PointField::UINT32: return writePointCloud2BufferValue<PointField::UINT32, T>(data_ptr, value);
    case PointField::FLOAT32: return writePointCloud2BufferValue<PointField::FLOAT32, T>(data_ptr, value);
    case PointField::FLOAT64: return writePointCloud2BufferValue<PointField::FLOAT64, T>(data_ptr, value);
    default: return;
  }
}

}  // namespace sensor_msgs

#endif  // SENSOR_MSGS__POINT_FIELD_CONVERSION_HPP_
