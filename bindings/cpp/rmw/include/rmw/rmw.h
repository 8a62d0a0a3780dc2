/** The functions of rmw that programs call. Nodes and endpoints are those of the client libraries. */
#ifndef RMW_RMW_H_
#define RMW_RMW_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rcutils/macros.h"
#include "rcutils/types.h"
#include "rmw/error_handling.h"
#include "rmw/event.h"
#include "rmw/event_callback_type.h"
#include "rmw/init.h"
#include "rmw/init_options.h"
#include "rmw/macros.h"
#include "rmw/message_sequence.h"
#include "rmw/publisher_options.h"
#include "rmw/qos_profiles.h"
#include "rmw/subscription_options.h"
#include "rmw/types.h"
#include "rmw/visibility_control.h"
#include "rosidl_runtime_c/message_type_support_struct.h"
#include "rosidl_runtime_c/sequence_bound.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the name of the middleware. */
RMW_PUBLIC RMW_WARN_UNUSED const char * rmw_get_implementation_identifier(void);

/** Returns the format of serialized messages, "cdr". */
RMW_PUBLIC RMW_WARN_UNUSED const char * rmw_get_serialization_format(void);

/**
 * Writes a message into `serialized_message`, which is initialized and grows if it must.
 *
 * Returns RMW_RET_ERROR if a string exceeds its bound, or if the type support is not of rosidl_typesupport_cpp.
 */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_serialize(
  const void * ros_message, const rosidl_message_type_support_t * type_support,
  rmw_serialized_message_t * serialized_message);

/** Reads a message into `ros_message`, which is a message of the type; returns RMW_RET_ERROR if the bytes are wrong. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_deserialize(
  const rmw_serialized_message_t * serialized_message, const rosidl_message_type_support_t * type_support,
  void * ros_message);

/** Sets `result` to whether two identifiers are those of the same endpoint. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_compare_gids_equal(const rmw_gid_t * gid1, const rmw_gid_t * gid2, bool * result);

#ifdef __cplusplus
}
#endif

#endif
