/** A map from strings to strings. */
#ifndef RCUTILS_TYPES_STRING_MAP_H_
#define RCUTILS_TYPES_STRING_MAP_H_

#include <stdbool.h>
#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcutils_string_map_impl_s;

/** Keys and values are copies. */
typedef struct rcutils_string_map_s
{
  struct rcutils_string_map_impl_s * impl;
} rcutils_string_map_t;

/** Returns a map that is not initialized. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_string_map_t rcutils_get_zero_initialized_string_map(void);

/** Makes an empty map; returns RCUTILS_RET_STRING_MAP_ALREADY_INIT if it is initialized. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_map_init(
  rcutils_string_map_t * string_map, size_t initial_capacity, rcutils_allocator_t allocator);

/** Frees the map; a map that is not initialized is RCUTILS_RET_OK. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_map_fini(rcutils_string_map_t * string_map);

/** Gets the number of pairs for which there is memory; RCUTILS_RET_STRING_MAP_INVALID if not initialized. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_string_map_get_capacity(const rcutils_string_map_t * string_map, size_t * capacity);

/** Gets the number of pairs. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_string_map_get_size(const rcutils_string_map_t * string_map, size_t * size);

/** Sets the capacity, but not below the number of pairs. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_string_map_reserve(rcutils_string_map_t * string_map, size_t capacity);

/** Removes all pairs and keeps the capacity. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_map_clear(rcutils_string_map_t * string_map);

/** Sets a value, and grows the map if it must. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_string_map_set(rcutils_string_map_t * string_map, const char * key, const char * value);

/** Sets a value; returns RCUTILS_RET_NOT_ENOUGH_SPACE instead of growing the map. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_map_set_no_resize(
  rcutils_string_map_t * string_map, const char * key, const char * value);

/** Removes a pair; returns RCUTILS_RET_STRING_KEY_NOT_FOUND if there is none. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_string_map_unset(rcutils_string_map_t * string_map, const char * key);

/** Returns true if the map has the key. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
bool rcutils_string_map_key_exists(const rcutils_string_map_t * string_map, const char * key);

/** As rcutils_string_map_key_exists, for a key of `key_length` bytes without terminator. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_string_map_key_existsn(
  const rcutils_string_map_t * string_map, const char * key, size_t key_length);

/** Returns the value of a key, or NULL; valid until the pair or the map changes. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
const char * rcutils_string_map_get(const rcutils_string_map_t * string_map, const char * key);

/** As rcutils_string_map_get, for a key of `key_length` bytes without terminator. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED const char * rcutils_string_map_getn(
  const rcutils_string_map_t * string_map, const char * key, size_t key_length);

/** Returns the key after `key`, which must be one that this function returned; NULL starts, NULL is the end. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
const char * rcutils_string_map_get_next_key(const rcutils_string_map_t * string_map, const char * key);

/** Sets each pair of `src` in `dst`. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_map_copy(
  const rcutils_string_map_t * src_string_map, rcutils_string_map_t * dst_string_map);

#ifdef __cplusplus
}
#endif

#endif
