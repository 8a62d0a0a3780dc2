/** The network address of an endpoint. */
#ifndef RMW_NETWORK_FLOW_ENDPOINT_H_
#define RMW_NETWORK_FLOW_ENDPOINT_H_

#include <stddef.h>
#include <stdint.h>

#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Size of an address in bytes, with terminator. */
#define RMW_INET_ADDRSTRLEN 48

typedef enum rmw_transport_protocol_e
{
  RMW_TRANSPORT_PROTOCOL_UNKNOWN = 0,
  RMW_TRANSPORT_PROTOCOL_UDP,
  RMW_TRANSPORT_PROTOCOL_TCP,
  RMW_TRANSPORT_PROTOCOL_COUNT
} rmw_transport_protocol_t;

typedef enum rmw_internet_protocol_e
{
  RMW_INTERNET_PROTOCOL_UNKNOWN = 0,
  RMW_INTERNET_PROTOCOL_IPV4,
  RMW_INTERNET_PROTOCOL_IPV6,
  RMW_INTERNET_PROTOCOL_COUNT
} rmw_internet_protocol_t;

typedef struct rmw_network_flow_endpoint_s
{
  rmw_transport_protocol_t transport_protocol;
  rmw_internet_protocol_t internet_protocol;
  uint16_t transport_port;
  /** The flow label of IPv6. */
  uint32_t flow_label;
  /** The service class of the packets. */
  uint8_t dscp;
  char internet_address[RMW_INET_ADDRSTRLEN];
} rmw_network_flow_endpoint_t;

/** Returns an address of unknown protocols. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_network_flow_endpoint_t rmw_get_zero_initialized_network_flow_endpoint(void);

/** Returns the name of a protocol. */
RMW_PUBLIC RMW_WARN_UNUSED const char * rmw_network_flow_endpoint_get_transport_protocol_string(
  const rmw_transport_protocol_t transport_protocol);

/** Returns the name of a protocol. */
RMW_PUBLIC RMW_WARN_UNUSED const char * rmw_network_flow_endpoint_get_internet_protocol_string(
  const rmw_internet_protocol_t internet_protocol);

/** Sets the address to `size` bytes of a text; RMW_RET_INVALID_ARGUMENT if they do not fit. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_network_flow_endpoint_set_internet_address(
  rmw_network_flow_endpoint_t * network_flow_endpoint, const char * internet_address, size_t size);

#ifdef __cplusplus
}
#endif

#endif
