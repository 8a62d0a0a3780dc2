// The old name of class_list_macros.hpp. It gives no warning, because packages build with -Werror.
#ifndef PLUGINLIB_CLASS_LIST_MACROS_H_
#define PLUGINLIB_CLASS_LIST_MACROS_H_

#include "pluginlib/class_list_macros.hpp"

#endif
