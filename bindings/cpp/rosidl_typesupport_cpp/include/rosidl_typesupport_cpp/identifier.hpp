#ifndef ROSIDL_TYPESUPPORT_CPP__IDENTIFIER_HPP_
#define ROSIDL_TYPESUPPORT_CPP__IDENTIFIER_HPP_

namespace rosidl_typesupport_cpp
{

/// The kind of the type supports that generated code has.
inline constexpr const char * typesupport_identifier = "rosidl_typesupport_cpp";

}  // namespace rosidl_typesupport_cpp

#endif  // ROSIDL_TYPESUPPORT_CPP__IDENTIFIER_HPP_
