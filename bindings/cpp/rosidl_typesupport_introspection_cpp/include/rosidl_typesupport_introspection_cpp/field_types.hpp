#ifndef ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__FIELD_TYPES_HPP_
#define ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__FIELD_TYPES_HPP_

#include <cstdint>

namespace rosidl_typesupport_introspection_cpp
{

// The types of fields: MessageMember::type_id_.
inline constexpr uint8_t ROS_TYPE_FLOAT = 1;
inline constexpr uint8_t ROS_TYPE_DOUBLE = 2;
inline constexpr uint8_t ROS_TYPE_LONG_DOUBLE = 3;
inline constexpr uint8_t ROS_TYPE_CHAR = 4;
inline constexpr uint8_t ROS_TYPE_WCHAR = 5;
inline constexpr uint8_t ROS_TYPE_BOOLEAN = 6;
inline constexpr uint8_t ROS_TYPE_OCTET = 7;
inline constexpr uint8_t ROS_TYPE_UINT8 = 8;
inline constexpr uint8_t ROS_TYPE_INT8 = 9;
inline constexpr uint8_t ROS_TYPE_UINT16 = 10;
inline constexpr uint8_t ROS_TYPE_INT16 = 11;
inline constexpr uint8_t ROS_TYPE_UINT32 = 12;
inline constexpr uint8_t ROS_TYPE_INT32 = 13;
inline constexpr uint8_t ROS_TYPE_UINT64 = 14;
inline constexpr uint8_t ROS_TYPE_INT64 = 15;
inline constexpr uint8_t ROS_TYPE_STRING = 16;
inline constexpr uint8_t ROS_TYPE_WSTRING = 17;
inline constexpr uint8_t ROS_TYPE_MESSAGE = 18;

// Other names of the same types.
inline constexpr uint8_t ROS_TYPE_BOOL = ROS_TYPE_BOOLEAN;
inline constexpr uint8_t ROS_TYPE_BYTE = ROS_TYPE_OCTET;
inline constexpr uint8_t ROS_TYPE_FLOAT32 = ROS_TYPE_FLOAT;
inline constexpr uint8_t ROS_TYPE_FLOAT64 = ROS_TYPE_DOUBLE;

}  // namespace rosidl_typesupport_introspection_cpp

#endif  // ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__FIELD_TYPES_HPP_
