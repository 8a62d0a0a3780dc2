// Stand-ins for generated messages in the form of rosidl: a template over the allocator and an alias.
#ifndef STAND_INS_MESSAGES_HPP_
#define STAND_INS_MESSAGES_HPP_

#include <cstdint>
#include <memory>
#include <string>

#include "rosidl_runtime_cpp/traits.hpp"

#define STAND_IN(package, Name) \
  namespace package::msg \
  { \
  using Name = Name ## _<std::allocator<void>>; \
  } \
  template<> \
  struct rosidl_generator_traits::is_message<package::msg::Name> : std::true_type \
  { \
  };

namespace builtin_interfaces::msg
{

template<class Allocator>
struct Time_
{
  int32_t sec = 0;
  uint32_t nanosec = 0;
};

}  // namespace builtin_interfaces::msg

STAND_IN(builtin_interfaces, Time)

namespace std_msgs::msg
{

template<class Allocator>
struct Header_
{
  builtin_interfaces::msg::Time_<Allocator> stamp;
  std::string frame_id;
};

}  // namespace std_msgs::msg

STAND_IN(std_msgs, Header)

namespace geometry_msgs::msg
{

template<class Allocator>
struct Vector3_
{
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
};

template<class Allocator>
struct Point_
{
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
};

template<class Allocator>
struct Quaternion_
{
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
  double w = 1.0;
};

template<class Allocator>
struct QuaternionStamped_
{
  std_msgs::msg::Header_<Allocator> header;
  Quaternion_<Allocator> quaternion;
};

template<class Allocator>
struct Transform_
{
  Vector3_<Allocator> translation;
  Quaternion_<Allocator> rotation;
};

template<class Allocator>
struct TransformStamped_
{
  std_msgs::msg::Header_<Allocator> header;
  std::string child_frame_id;
  Transform_<Allocator> transform;
};

template<class Allocator>
struct VelocityStamped_
{
  std_msgs::msg::Header_<Allocator> header;
};

}  // namespace geometry_msgs::msg

STAND_IN(geometry_msgs, Vector3)
STAND_IN(geometry_msgs, Point)
STAND_IN(geometry_msgs, Quaternion)
STAND_IN(geometry_msgs, QuaternionStamped)
STAND_IN(geometry_msgs, Transform)
STAND_IN(geometry_msgs, TransformStamped)
STAND_IN(geometry_msgs, VelocityStamped)

#endif
