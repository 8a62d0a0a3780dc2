// A stand-in for the generated header.
#ifndef STAND_INS_BUILTIN_INTERFACES_MSG_TIME_HPP_
#define STAND_INS_BUILTIN_INTERFACES_MSG_TIME_HPP_

#include "messages.hpp"

#endif
