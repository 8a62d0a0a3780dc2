// The names of the models of lens distortion in sensor_msgs/msg/CameraInfo.
#ifndef SENSOR_MSGS__DISTORTION_MODELS_HPP_
#define SENSOR_MSGS__DISTORTION_MODELS_HPP_

namespace sensor_msgs::distortion_models
{

/// Brown's model with two to three radial and two tangential coefficients.
inline constexpr char PLUMB_BOB[] = "plumb_bob";
/// The quotient of two polynomials, with six radial and two tangential coefficients.
inline constexpr char RATIONAL_POLYNOMIAL[] = "rational_polynomial";
/// The model of fish-eye lenses with four coefficients.
inline constexpr char EQUIDISTANT[] = "equidistant";

}  // namespace sensor_msgs::distortion_models

#endif  // SENSOR_MSGS__DISTORTION_MODELS_HPP_
