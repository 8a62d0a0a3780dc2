// geometry_msgs/msg/PoseWithCovariance and PoseWithCovarianceStamped.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_POSES_WITH_COVARIANCE_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_POSES_WITH_COVARIANCE_HPP_

#include <array>
#include <cstddef>

#include "geometry_msgs/msg/pose_with_covariance.hpp"
#include "geometry_msgs/msg/pose_with_covariance_stamped.hpp"
#include "tf2/LinearMath/Matrix3x3.h"
#include "tf2_geometry_msgs/detail/basics.hpp"
#include "tf2_geometry_msgs/detail/poses.hpp"

namespace tf2_geometry_msgs::detail
{

using Covariance = geometry_msgs::msg::PoseWithCovariance::_covariance_type;

/// Returns the 3 x 3 block of a covariance that starts at a row and a column.
inline tf2::Matrix3x3 get_block(const Covariance & covariance, size_t row, size_t column)
{
  const auto at = [&](size_t i, size_t j) {return covariance[(row + i) * 6 + column + j];};
  return tf2::Matrix3x3(
    at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 1), at(1, 2), at(2, 0), at(2, 1), at(2, 2));
}

inline void set_block(Covariance & covariance, size_t row, size_t column, const tf2::Matrix3x3 & block)
{
  for (size_t i = 0; i < 3; ++i) {
    const tf2::Vector3 & line = block[static_cast<int>(i)];
    covariance[(row + i) * 6 + column] = line.getX();
    covariance[(row + i) * 6 + column + 1] = line.getY();
    covariance[(row + i) * 6 + column + 2] = line.getZ();
  }
}

}  // namespace tf2_geometry_msgs::detail

namespace tf2
{

/// Rotates a covariance of x, y, z and the rotations about X, Y, Z, which are those of the fixed axes.
inline geometry_msgs::msg::PoseWithCovariance::_covariance_type transformCovariance(
  const geometry_msgs::msg::PoseWithCovariance::_covariance_type & cov_in, const Transform & transform)
{
  // With the rotation R and the matrix M = (R 0; 0 R), the covariance C becomes M C M^T, block by block.
  const Matrix3x3 & rotation = transform.getBasis();
  const Matrix3x3 transposed = rotation.transpose();
  geometry_msgs::msg::PoseWithCovariance::_covariance_type cov_out;
  for (const size_t row : {size_t{0}, size_t{3}}) {
    for (const size_t column : {size_t{0}, size_t{3}}) {
      const Matrix3x3 block = tf2_geometry_msgs::detail::get_block(cov_in, row, column);
      tf2_geometry_msgs::detail::set_block(cov_out, row, column, rotation * block * transposed);
    }
  }
  return cov_out;
}

TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::PoseWithCovariance)

template<>
inline std::array<std::array<double, 6>, 6> getCovarianceMatrix(const geometry_msgs::msg::PoseWithCovariance & t)
{
  return covarianceRowMajorToNested(t.covariance);
}

/// Transforms the pose and its covariance.
template<>
inline void doTransform(
  const geometry_msgs::msg::PoseWithCovariance & t_in, geometry_msgs::msg::PoseWithCovariance & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  doTransform(t_in.pose, t_out.pose, transform);
  t_out.covariance =
    transformCovariance(t_in.covariance, tf2_geometry_msgs::detail::to_transform(transform.transform));
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::PoseWithCovarianceStamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::PoseWithCovarianceStamped)

template<>
inline std::array<std::array<double, 6>, 6> getCovarianceMatrix(
  const geometry_msgs::msg::PoseWithCovarianceStamped & t)
{
  return covarianceRowMajorToNested(t.pose.covariance);
}

template<>
inline void doTransform(
  const geometry_msgs::msg::PoseWithCovarianceStamped & t_in, geometry_msgs::msg::PoseWithCovarianceStamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  doTransform(t_in.pose, t_out.pose, transform);
  tf2_geometry_msgs::detail::set_header(t_out.header, transform);
}

inline geometry_msgs::msg::PoseWithCovarianceStamped toMsg(const WithCovarianceStamped<Transform> & in)
{
  geometry_msgs::msg::PoseWithCovarianceStamped out;
  out.header.stamp = tf2_geometry_msgs::detail::to_time(in.stamp_);
  out.header.frame_id = in.frame_id_;
  toMsg(static_cast<const Transform &>(in), out.pose.pose);
  out.pose.covariance = covarianceNestedToRowMajor(in.cov_mat_);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::PoseWithCovarianceStamped & in, WithCovarianceStamped<Transform> & out)
{
  out.stamp_ = tf2_geometry_msgs::detail::to_time_point(in.header.stamp);
  out.frame_id_ = in.header.frame_id;
  out.cov_mat_ = covarianceRowMajorToNested(in.pose.covariance);
  fromMsg(in.pose.pose, static_cast<Transform &>(out));
}

// The same for calls with template arguments.
template<>
inline geometry_msgs::msg::PoseWithCovarianceStamped
toMsg<WithCovarianceStamped<Transform>, geometry_msgs::msg::PoseWithCovarianceStamped>(
  const WithCovarianceStamped<Transform> & in)
{
  return toMsg(in);
}

template<>
inline void fromMsg<geometry_msgs::msg::PoseWithCovarianceStamped, WithCovarianceStamped<Transform>>(
  const geometry_msgs::msg::PoseWithCovarianceStamped & in, WithCovarianceStamped<Transform> & out)
{
  fromMsg(in, out);
}

}  // namespace tf2

#endif  // TF2_GEOMETRY_MSGS_DETAIL_POSES_WITH_COVARIANCE_HPP_
