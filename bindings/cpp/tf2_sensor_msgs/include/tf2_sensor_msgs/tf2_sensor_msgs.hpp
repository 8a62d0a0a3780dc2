// Transformations of sensor_msgs/msg/PointCloud2.
#ifndef TF2_SENSOR_MSGS_TF2_SENSOR_MSGS_HPP_
#define TF2_SENSOR_MSGS_TF2_SENSOR_MSGS_HPP_

#include <chrono>
#include <string>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "sensor_msgs/msg/point_cloud2.hpp"
#include "sensor_msgs/msg/point_field.hpp"
#include "sensor_msgs/point_cloud2_iterator.hpp"
#include "tf2/LinearMath/Quaternion.h"
#include "tf2/LinearMath/Transform.h"
#include "tf2/LinearMath/Vector3.h"
#include "tf2/convert.h"
#include "tf2/time.h"

// Programs that include this header use tf2_ros::toMsg and tf2_ros::fromMsg of times, too.
#if __has_include("tf2_ros/buffer_interface.h")
#include "tf2_ros/buffer_interface.h"
#endif

namespace tf2_sensor_msgs::detail
{

/// Transforms the fields x, y and z, whose numbers are of the type T.
template<typename T>
void transform_points(sensor_msgs::msg::PointCloud2 & cloud, const tf2::Transform & transform)
{
  sensor_msgs::PointCloud2Iterator<T> x(cloud, "x");
  sensor_msgs::PointCloud2Iterator<T> y(cloud, "y");
  sensor_msgs::PointCloud2Iterator<T> z(cloud, "z");
  const sensor_msgs::PointCloud2Iterator<T> end = x.end();
  for (; x != end; ++x, ++y, ++z) {
    const tf2::Vector3 point = transform * tf2::Vector3(*x, *y, *z);
    *x = static_cast<T>(point.getX());
    *y = static_cast<T>(point.getY());
    *z = static_cast<T>(point.getZ());
  }
}

inline bool has_double_coordinates(const sensor_msgs::msg::PointCloud2 & cloud)
{
  for (const auto & field : cloud.fields) {
    if (field.name == "x") {
      return field.datatype == sensor_msgs::msg::PointField::FLOAT64;
    }
  }
  return false;
}

inline tf2::Transform to_transform(const geometry_msgs::msg::TransformStamped & transform)
{
  const auto & rotation = transform.transform.rotation;
  const auto & translation = transform.transform.translation;
  return tf2::Transform(
    tf2::Quaternion(rotation.x, rotation.y, rotation.z, rotation.w),
    tf2::Vector3(translation.x, translation.y, translation.z));
}

}  // namespace tf2_sensor_msgs::detail

namespace tf2
{

template<>
inline tf2::TimePoint getTimestamp(const sensor_msgs::msg::PointCloud2 & p)
{
  return tf2::TimePoint(
    std::chrono::seconds(p.header.stamp.sec) + std::chrono::nanoseconds(p.header.stamp.nanosec));
}

template<>
inline std::string getFrameId(const sensor_msgs::msg::PointCloud2 & p) {return p.header.frame_id;}

/// Transforms the fields x, y and z; the other fields stay. Throws std::runtime_error if one of the three is missing.
template<>
inline void doTransform(
  const sensor_msgs::msg::PointCloud2 & p_in, sensor_msgs::msg::PointCloud2 & p_out,
  const geometry_msgs::msg::TransformStamped & t_in)
{
  if (&p_in != &p_out) {
    p_out = p_in;
  }
  p_out.header.stamp = t_in.header.stamp;
  p_out.header.frame_id = t_in.header.frame_id;
  const tf2::Transform transform = tf2_sensor_msgs::detail::to_transform(t_in);
  if (tf2_sensor_msgs::detail::has_double_coordinates(p_out)) {
    tf2_sensor_msgs::detail::transform_points<double>(p_out, transform);
  } else {
    tf2_sensor_msgs::detail::transform_points<float>(p_out, transform);
  }
}

inline sensor_msgs::msg::PointCloud2 toMsg(const sensor_msgs::msg::PointCloud2 & in) {return in;}

inline void fromMsg(const sensor_msgs::msg::PointCloud2 & msg, sensor_msgs::msg::PointCloud2 & out) {out = msg;}

}  // namespace tf2

#endif  // TF2_SENSOR_MSGS_TF2_SENSOR_MSGS_HPP_
