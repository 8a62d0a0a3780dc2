#include <cstring>

#include "saltus/message_support.hpp"

extern "C" {

const rosidl_message_type_support_t * saltus_message_typesupport_of(
  const rosidl_message_type_support_t * handle, const char * identifier)
{
  return std::strcmp(handle->typesupport_identifier, identifier) == 0 ? handle : nullptr;
}

const rosidl_type_hash_t * saltus_message_type_hash(const rosidl_message_type_support_t * handle)
{
  return &static_cast<const saltus::MessageSupport *>(handle->data)->hash;
}

const rosidl_runtime_c__type_description__TypeDescription *
saltus_message_type_description(const rosidl_message_type_support_t *)
{
  return nullptr;
}

const rosidl_runtime_c__type_description__TypeSource__Sequence *
saltus_message_type_sources(const rosidl_message_type_support_t *)
{
  return nullptr;
}

const rosidl_service_type_support_t * saltus_service_typesupport_of(
  const rosidl_service_type_support_t * handle, const char * identifier)
{
  return std::strcmp(handle->typesupport_identifier, identifier) == 0 ? handle : nullptr;
}

const rosidl_type_hash_t * saltus_service_type_hash(const rosidl_service_type_support_t * handle)
{
  return &static_cast<const saltus::ServiceSupport *>(handle->data)->hash;
}

const rosidl_runtime_c__type_description__TypeDescription *
saltus_service_type_description(const rosidl_service_type_support_t *)
{
  return nullptr;
}

const rosidl_runtime_c__type_description__TypeSource__Sequence *
saltus_service_type_sources(const rosidl_service_type_support_t *)
{
  return nullptr;
}

const rosidl_message_type_support_t * get_message_typesupport_handle(
  const rosidl_message_type_support_t * handle, const char * identifier)
{
  return handle == nullptr ? nullptr : handle->func(handle, identifier);
}

const rosidl_service_type_support_t * get_service_typesupport_handle(
  const rosidl_service_type_support_t * handle, const char * identifier)
{
  return handle == nullptr ? nullptr : handle->func(handle, identifier);
}

}  // extern "C"
