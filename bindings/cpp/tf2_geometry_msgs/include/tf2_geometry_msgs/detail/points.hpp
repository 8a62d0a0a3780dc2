// geometry_msgs/msg/Point, Point32, PointStamped, Polygon and PolygonStamped.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_POINTS_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_POINTS_HPP_

#include "geometry_msgs/msg/point.hpp"
#include "geometry_msgs/msg/point32.hpp"
#include "geometry_msgs/msg/point_stamped.hpp"
#include "geometry_msgs/msg/polygon.hpp"
#include "geometry_msgs/msg/polygon_stamped.hpp"
#include "tf2_geometry_msgs/detail/basics.hpp"

namespace tf2
{

/// Sets `out` and returns it: the type of the message can't be deduced from the vector.
inline geometry_msgs::msg::Point & toMsg(const Vector3 & in, geometry_msgs::msg::Point & out)
{
  tf2_geometry_msgs::detail::set_xyz(out, in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Point & in, Vector3 & out)
{
  out = tf2_geometry_msgs::detail::to_vector(in);
}

template<>
inline void doTransform(
  const geometry_msgs::msg::Point & t_in, geometry_msgs::msg::Point & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_point(t_in, t_out, transform.transform);
}

/// Sets `out` and returns it: the type of the message can't be deduced from the vector.
inline geometry_msgs::msg::Point32 & toMsg(const Vector3 & in, geometry_msgs::msg::Point32 & out)
{
  tf2_geometry_msgs::detail::set_xyz(out, in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Point32 & in, Vector3 & out)
{
  out = tf2_geometry_msgs::detail::to_vector(in);
}

template<>
inline void doTransform(
  const geometry_msgs::msg::Point32 & t_in, geometry_msgs::msg::Point32 & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_point(t_in, t_out, transform.transform);
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::PointStamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::PointStamped)

template<>
inline void doTransform(
  const geometry_msgs::msg::PointStamped & t_in, geometry_msgs::msg::PointStamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_point(t_in.point, t_out.point, transform.transform);
  tf2_geometry_msgs::detail::set_header(t_out.header, transform);
}

TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::Polygon)

/// Transforms all points of a polygon.
template<>
inline void doTransform(
  const geometry_msgs::msg::Polygon & poly_in, geometry_msgs::msg::Polygon & poly_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const Transform made = tf2_geometry_msgs::detail::to_transform(transform.transform);
  geometry_msgs::msg::Polygon transformed = poly_in;
  for (geometry_msgs::msg::Point32 & point : transformed.points) {
    tf2_geometry_msgs::detail::set_xyz(point, made * tf2_geometry_msgs::detail::to_vector(point));
  }
  poly_out = transformed;
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::PolygonStamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::PolygonStamped)

template<>
inline void doTransform(
  const geometry_msgs::msg::PolygonStamped & poly_in, geometry_msgs::msg::PolygonStamped & poly_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  doTransform(poly_in.polygon, poly_out.polygon, transform);
  tf2_geometry_msgs::detail::set_header(poly_out.header, transform);
}

}  // namespace tf2

#endif  // TF2_GEOMETRY_MSGS_DETAIL_POINTS_HPP_
