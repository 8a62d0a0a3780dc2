// Conversions between data types and messages, and transformations of both.
//
// Each type has its own specializations or overloads of these functions, in the header that knows the type.
#ifndef TF2_CONVERT_HPP_
#define TF2_CONVERT_HPP_

#include <array>
#include <cstddef>
#include <string>

#include "builtin_interfaces/msg/time.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "rosidl_runtime_cpp/traits.hpp"
#include "tf2/impl/convert.hpp"
#include "tf2/time.hpp"
#include "tf2/transform_datatypes.hpp"
#include "tf2/visibility_control.hpp"

namespace tf2
{

/// Sets `data_out` to `data_in` transformed.
template<class T>
void doTransform(const T & data_in, T & data_out, const geometry_msgs::msg::TransformStamped & transform);

/// Returns the time of the data.
template<class T>
tf2::TimePoint getTimestamp(const T & t);

/// Returns the frame of the data.
template<class T>
std::string getFrameId(const T & t);

/// Returns the covariance of the data.
template<class T>
std::array<std::array<double, 6>, 6> getCovarianceMatrix(const T & t);

template<class P>
tf2::TimePoint getTimestamp(const tf2::Stamped<P> & t) {return t.stamp_;}

template<class P>
std::string getFrameId(const tf2::Stamped<P> & t) {return t.frame_id_;}

template<class P>
tf2::TimePoint getTimestamp(const tf2::WithCovarianceStamped<P> & t) {return t.stamp_;}

template<class P>
std::string getFrameId(const tf2::WithCovarianceStamped<P> & t) {return t.frame_id_;}

template<class P>
std::array<std::array<double, 6>, 6> getCovarianceMatrix(const tf2::WithCovarianceStamped<P> & t)
{
  return t.cov_mat_;
}

/// Converts between a data type and a message, or between two data types by their message.
template<class A, class B>
void convert(const A & a, B & b)
{
  impl::Converter<
    rosidl_generator_traits::is_message<A>::value, rosidl_generator_traits::is_message<B>::value>::convert(a, b);
}

/// Copies.
template<class A>
void convert(const A & a1, A & a2)
{
  if (&a1 != &a2) {
    a2 = a1;
  }
}

/// Returns a covariance of a message as a matrix.
inline std::array<std::array<double, 6>, 6> covarianceRowMajorToNested(const std::array<double, 36> & row_major)
{
  std::array<std::array<double, 6>, 6> nested = {};
  for (std::size_t i = 0; i < row_major.size(); ++i) {
    nested[i / 6][i % 6] = row_major[i];
  }
  return nested;
}

/// Returns a covariance as messages have it.
inline std::array<double, 36> covarianceNestedToRowMajor(const std::array<std::array<double, 6>, 6> & nested_array)
{
  std::array<double, 36> row_major = {};
  for (std::size_t i = 0; i < row_major.size(); ++i) {
    row_major[i] = nested_array[i / 6][i % 6];
  }
  return row_major;
}

}  // namespace tf2

#endif
