#ifndef ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__SERVICE_INTROSPECTION_HPP_
#define ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__SERVICE_INTROSPECTION_HPP_

#include "rosidl_typesupport_introspection_cpp/message_introspection.hpp"

namespace rosidl_typesupport_introspection_cpp
{

/// A type of services.
typedef struct ServiceMembers_s
{
  /// For example "std_srvs::srv".
  const char * service_namespace_;
  /// For example "Trigger".
  const char * service_name_;
  const MessageMembers * request_members_;
  const MessageMembers * response_members_;
  const MessageMembers * event_members_;
} ServiceMembers;

}  // namespace rosidl_typesupport_introspection_cpp

#endif  // ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__SERVICE_INTROSPECTION_HPP_
