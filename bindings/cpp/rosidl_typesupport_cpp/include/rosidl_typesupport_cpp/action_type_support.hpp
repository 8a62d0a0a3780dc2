#ifndef ROSIDL_TYPESUPPORT_CPP__ACTION_TYPE_SUPPORT_HPP_
#define ROSIDL_TYPESUPPORT_CPP__ACTION_TYPE_SUPPORT_HPP_

#include "rosidl_runtime_c/action_type_support_struct.h"

namespace rosidl_typesupport_cpp
{

/// Returns the type support of a type. The generated code of each type defines it.
template<typename T>
const rosidl_action_type_support_t * get_action_type_support_handle();

}  // namespace rosidl_typesupport_cpp

#endif  // ROSIDL_TYPESUPPORT_CPP__ACTION_TYPE_SUPPORT_HPP_
