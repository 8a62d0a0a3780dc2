// Compiler attributes that decide which symbols a shared library exports.
#ifndef TF2_ROS_VISIBILITY_CONTROL_HPP_
#define TF2_ROS_VISIBILITY_CONTROL_HPP_

#define TF2_ROS_EXPORT __attribute__((visibility("default")))
#define TF2_ROS_IMPORT __attribute__((visibility("default")))
#define TF2_ROS_PUBLIC __attribute__((visibility("default")))
#define TF2_ROS_PUBLIC_TYPE __attribute__((visibility("default")))
#define TF2_ROS_LOCAL __attribute__((visibility("hidden")))

#endif
