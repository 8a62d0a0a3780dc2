// Conversions between the types of tf2 and the messages of geometry_msgs, and transformations of these messages.
#ifndef TF2_GEOMETRY_MSGS_TF2_GEOMETRY_MSGS_HPP_
#define TF2_GEOMETRY_MSGS_TF2_GEOMETRY_MSGS_HPP_

#include "tf2_geometry_msgs/detail/basics.hpp"
#include "tf2_geometry_msgs/detail/kdl.hpp"
#include "tf2_geometry_msgs/detail/points.hpp"
#include "tf2_geometry_msgs/detail/poses.hpp"
#include "tf2_geometry_msgs/detail/poses_with_covariance.hpp"
#include "tf2_geometry_msgs/detail/quaternions.hpp"
#include "tf2_geometry_msgs/detail/transforms.hpp"
#include "tf2_geometry_msgs/detail/twists.hpp"
#include "tf2_geometry_msgs/detail/vectors.hpp"

// Programs that include this header use tf2_ros::toMsg and tf2_ros::fromMsg of times, too.
#if __has_include("tf2_ros/buffer_interface.h")
#include "tf2_ros/buffer_interface.h"
#endif

#endif  // TF2_GEOMETRY_MSGS_TF2_GEOMETRY_MSGS_HPP_
