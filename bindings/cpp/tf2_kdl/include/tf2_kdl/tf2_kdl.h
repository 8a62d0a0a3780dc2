// The name that this header had before ROS 2 Humble.
#ifndef TF2_KDL_TF2_KDL_H_
#define TF2_KDL_TF2_KDL_H_

#include "tf2_kdl/tf2_kdl.hpp"

#endif  // TF2_KDL_TF2_KDL_H_
