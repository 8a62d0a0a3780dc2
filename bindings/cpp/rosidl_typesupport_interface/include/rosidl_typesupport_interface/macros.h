#ifndef ROSIDL_TYPESUPPORT_INTERFACE__MACROS_H_
#define ROSIDL_TYPESUPPORT_INTERFACE__MACROS_H_

/** The name of the function that returns the support of a kind for a message. */
#define ROSIDL_TYPESUPPORT_INTERFACE__MESSAGE_SYMBOL_NAME(typesupport_name, package_name, interface_type, message_name) \
  typesupport_name ## __get_message_type_support_handle__ ## package_name ## __ ## interface_type ## __ ## message_name

/** The name of the function that returns the support of a kind for a service. */
#define ROSIDL_TYPESUPPORT_INTERFACE__SERVICE_SYMBOL_NAME(typesupport_name, package_name, interface_type, service_name) \
  typesupport_name ## __get_service_type_support_handle__ ## package_name ## __ ## interface_type ## __ ## service_name

/** The name of the function that returns the support of a kind for an action. */
#define ROSIDL_TYPESUPPORT_INTERFACE__ACTION_SYMBOL_NAME(typesupport_name, package_name, interface_type, action_name) \
  typesupport_name ## __get_action_type_support_handle__ ## package_name ## __ ## interface_type ## __ ## action_name

/** The name of a library of a package. */
#define ROSIDL_TYPESUPPORT_INTERFACE__LIBRARY_NAME(package_name, typesupport_name) \
  package_name ## __ ## typesupport_name

#endif  // ROSIDL_TYPESUPPORT_INTERFACE__MACROS_H_
