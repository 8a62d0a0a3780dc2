/** Which programs a program finds. */
#ifndef RMW_DISCOVERY_OPTIONS_H_
#define RMW_DISCOVERY_OPTIONS_H_

#include <stdbool.h>
#include <stddef.h>

#include "rcutils/allocator.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Size of the address of a peer in bytes, with terminator. */
#define RMW_DISCOVERY_OPTIONS_STATIC_PEERS_MAX_LENGTH 256

/** Where other programs are searched. */
typedef enum rmw_automatic_discovery_range_e
{
  RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET = 0,
  RMW_AUTOMATIC_DISCOVERY_RANGE_OFF = 1,
  RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST = 2,
  RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET = 3,
  RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT = 4
} rmw_automatic_discovery_range_t;

/** The address of another machine. */
typedef struct rmw_peer_address_s
{
  char peer_address[RMW_DISCOVERY_OPTIONS_STATIC_PEERS_MAX_LENGTH];
} rmw_peer_address_t;

typedef struct rmw_discovery_options_s
{
  rmw_automatic_discovery_range_t automatic_discovery_range;
  /** Machines that are asked whatever the range is. */
  rmw_peer_address_t * static_peers;
  size_t static_peers_count;
  /** Has allocated the peers. */
  rcutils_allocator_t allocator;
} rmw_discovery_options_t;

/** Returns options without peers and without allocator. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_discovery_options_t rmw_get_zero_initialized_discovery_options(void);

/** Makes options with `size` empty addresses; the options must not have peers yet. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_discovery_options_init(
  rmw_discovery_options_t * discovery_options, size_t size, rcutils_allocator_t * allocator);

/** Compares the ranges and the peers in their order. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_discovery_options_equal(
  const rmw_discovery_options_t * const left, const rmw_discovery_options_t * const right, bool * result);

/** Copies options; `dst` must not have peers yet. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_discovery_options_copy(
  const rmw_discovery_options_t * src, rcutils_allocator_t * allocator, rmw_discovery_options_t * dst);

/** Frees the peers; options without peers are RMW_RET_OK. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_discovery_options_fini(rmw_discovery_options_t * discovery_options);

#ifdef __cplusplus
}
#endif

#endif
