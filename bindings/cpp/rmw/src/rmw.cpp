#include "rmw/rmw.h"

#include <cstring>

#include "rmw/check_type_identifiers_match.h"
#include "rmw/convert_rcutils_ret_to_rmw_ret.h"
#include "saltus/message_support.hpp"

namespace
{

constexpr const char * IDENTIFIER = "rmw_saltus_cpp";

// Returns how messages of a type are written and read, or NULL and sets an error.
const saltus::MessageSupport * support_of(const rosidl_message_type_support_t * type_support)
{
  for (const char * kind : {saltus::TYPE_SUPPORT, saltus::TYPE_SUPPORT_C}) {
    if (const auto * handle = type_support->func ? type_support->func(type_support, kind) : nullptr) {
      return static_cast<const saltus::MessageSupport *>(handle->data);
    }
  }
  RMW_SET_ERROR_MSG_WITH_FORMAT_STRING(
    "expected a type support of '%s' or '%s', found one of '%s': generate the message with Saltus",
    saltus::TYPE_SUPPORT, saltus::TYPE_SUPPORT_C, type_support->typesupport_identifier);
  return nullptr;
}

rmw_ret_t reserve(rmw_serialized_message_t & message, size_t size)
{
  if (message.buffer_capacity >= size) {
    return RMW_RET_OK;
  }
  return rmw_convert_rcutils_ret_to_rmw_ret(rmw_serialized_message_resize(&message, size));
}

}  // namespace

const char * rmw_get_implementation_identifier() {return IDENTIFIER;}

const char * rmw_get_serialization_format() {return "cdr";}

rmw_ret_t rmw_serialize(
  const void * ros_message, const rosidl_message_type_support_t * type_support,
  rmw_serialized_message_t * serialized_message)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(serialized_message, RMW_RET_INVALID_ARGUMENT);
  const saltus::MessageSupport * support = support_of(type_support);
  if (!support) {
    return RMW_RET_ERROR;
  }
  const char * too_long = nullptr;
  const size_t size = support->size(ros_message, &too_long);
  if (too_long) {
    RMW_SET_ERROR_MSG_WITH_FORMAT_STRING(
      "can't serialize a %s: the field '%s' exceeds its bound", support->name, too_long);
    return RMW_RET_ERROR;
  }
  const rmw_ret_t ret = reserve(*serialized_message, size);
  if (ret != RMW_RET_OK) {
    return ret;
  }
  support->write(ros_message, serialized_message->buffer);
  serialized_message->buffer_length = size;
  return RMW_RET_OK;
}

rmw_ret_t rmw_deserialize(
  const rmw_serialized_message_t * serialized_message, const rosidl_message_type_support_t * type_support,
  void * ros_message)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(serialized_message, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  const saltus::MessageSupport * support = support_of(type_support);
  if (!support) {
    return RMW_RET_ERROR;
  }
  const char * fault = support->read(ros_message, serialized_message->buffer, serialized_message->buffer_length);
  if (fault) {
    RMW_SET_ERROR_MSG_WITH_FORMAT_STRING("can't deserialize a %s: %s", support->name, fault);
    return RMW_RET_ERROR;
  }
  return RMW_RET_OK;
}

rmw_ret_t rmw_compare_gids_equal(const rmw_gid_t * gid1, const rmw_gid_t * gid2, bool * result)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(gid1, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(gid2, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(result, RMW_RET_INVALID_ARGUMENT);
  for (const rmw_gid_t * gid : {gid1, gid2}) {
    RMW_CHECK_FOR_NULL_WITH_MSG(
      gid->implementation_identifier, "the gid has no implementation identifier",
      return RMW_RET_INCORRECT_RMW_IMPLEMENTATION);
    RMW_CHECK_TYPE_IDENTIFIERS_MATCH(
      gid, gid->implementation_identifier, IDENTIFIER, return RMW_RET_INCORRECT_RMW_IMPLEMENTATION);
  }
  *result = std::memcmp(gid1->data, gid2->data, sizeof(gid1->data)) == 0;
  return RMW_RET_OK;
}
