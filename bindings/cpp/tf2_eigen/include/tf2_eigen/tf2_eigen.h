// The name that this header had before ROS 2 Humble.
#ifndef TF2_EIGEN_TF2_EIGEN_H_
#define TF2_EIGEN_TF2_EIGEN_H_

#include "tf2_eigen/tf2_eigen.hpp"

#endif  // TF2_EIGEN_TF2_EIGEN_H_
