#ifndef ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__IDENTIFIER_HPP_
#define ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__IDENTIFIER_HPP_

namespace rosidl_typesupport_introspection_cpp
{

/// The kind of the type supports whose data is a MessageMembers or a ServiceMembers. Messages of Saltus have none.
inline constexpr const char * typesupport_identifier = "rosidl_typesupport_introspection_cpp";

}  // namespace rosidl_typesupport_introspection_cpp

#endif  // ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__IDENTIFIER_HPP_
