/** A hash map over keys and values of fixed sizes. */
#ifndef RCUTILS_TYPES_HASH_MAP_H_
#define RCUTILS_TYPES_HASH_MAP_H_

#include <stdbool.h>
#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcutils_hash_map_impl_s;

typedef struct rcutils_hash_map_s
{
  struct rcutils_hash_map_impl_s * impl;
} rcutils_hash_map_t;

/** Returns the hash of a key. */
typedef size_t (* rcutils_hash_map_key_hasher_t)(const void *);
/** Returns 0 if two keys are equal. */
typedef int (* rcutils_hash_map_key_cmp_t)(const void *, const void *);

/** Hashes a key that is a `const char *`; the argument points to the pointer. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED size_t rcutils_hash_map_string_hash_func(const void * key_str);

/** Compares two keys that are `const char *`; the arguments point to the pointers. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED int rcutils_hash_map_string_cmp_func(const void * val1, const void * val2);

/** Returns a map that is not initialized. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_hash_map_t rcutils_get_zero_initialized_hash_map(void);

/** Makes an empty map; RCUTILS_RET_INVALID_ARGUMENT if it is initialized, or the capacity or a size is 0. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_hash_map_init(
  rcutils_hash_map_t * hash_map, size_t initial_capacity, size_t key_size, size_t data_size,
  rcutils_hash_map_key_hasher_t key_hashing_func, rcutils_hash_map_key_cmp_t key_cmp_func,
  const rcutils_allocator_t * allocator);

/** Frees the map; returns RCUTILS_RET_NOT_INITIALIZED if it is not initialized, as all functions below do. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_hash_map_fini(rcutils_hash_map_t * hash_map);

/** Gets the number of buckets. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_hash_map_get_capacity(const rcutils_hash_map_t * hash_map, size_t * capacity);

/** Gets the number of pairs. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_hash_map_get_size(const rcutils_hash_map_t * hash_map, size_t * size);

/** Sets a value; key and value are copied by their bytes. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_hash_map_set(rcutils_hash_map_t * hash_map, const void * key, const void * value);

/** Removes a pair; a key that is not there is RCUTILS_RET_OK. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_hash_map_unset(rcutils_hash_map_t * hash_map, const void * key);

/** Returns true if the map has the key. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
bool rcutils_hash_map_key_exists(const rcutils_hash_map_t * hash_map, const void * key);

/** Copies a value to `data`; returns RCUTILS_RET_NOT_FOUND if there is none. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_hash_map_get(const rcutils_hash_map_t * hash_map, const void * key, void * data);

/**
 * Copies the pair after `previous_key` to `key` and `data`; NULL starts.
 *
 * Returns RCUTILS_RET_HASH_MAP_NO_MORE_ENTRIES at the end, RCUTILS_RET_NOT_FOUND if the previous key is not there.
 */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_hash_map_get_next_key_and_data(
  const rcutils_hash_map_t * hash_map, const void * previous_key, void * key, void * data);

#ifdef __cplusplus
}
#endif

#endif
