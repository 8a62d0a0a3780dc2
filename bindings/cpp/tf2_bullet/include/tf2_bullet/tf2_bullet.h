// The name that this header had before ROS 2 Humble.
#ifndef TF2_BULLET_TF2_BULLET_H_
#define TF2_BULLET_TF2_BULLET_H_

#include "tf2_bullet/tf2_bullet.hpp"

#endif  // TF2_BULLET_TF2_BULLET_H_
