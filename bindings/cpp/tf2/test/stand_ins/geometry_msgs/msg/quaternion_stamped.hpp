// A stand-in for the generated header.
#ifndef STAND_INS_GEOMETRY_MSGS_MSG_QUATERNION_STAMPED_HPP_
#define STAND_INS_GEOMETRY_MSGS_MSG_QUATERNION_STAMPED_HPP_

#include "messages.hpp"

#endif
