/** Atomic types for C with the names of C11. For C++ this header is empty: use std::atomic. */
#ifndef RCUTILS_STDATOMIC_HELPER_H_
#define RCUTILS_STDATOMIC_HELPER_H_

#ifndef __cplusplus

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Sets `out` to the value of the object. */
#define rcutils_atomic_load(object, out) ((out) = atomic_load(object))

/** Sets the object. */
#define rcutils_atomic_store(object, desired) atomic_store(object, desired)

/** Sets the object, and `out` to its old value. */
#define rcutils_atomic_exchange(object, out, desired) ((out) = atomic_exchange(object, desired))

/** Adds to the object, and sets `out` to its old value. */
#define rcutils_atomic_fetch_add(object, out, arg) ((out) = atomic_fetch_add(object, arg))

/** Sets the object if it is `*expected`, and `out` to whether it was; else `*expected` gets its value. */
#define rcutils_atomic_compare_exchange_strong(object, out, expected, desired) \
  ((out) = atomic_compare_exchange_strong(object, expected, desired))

static inline bool rcutils_atomic_load_bool(atomic_bool * object) {return atomic_load(object);}

static inline int64_t rcutils_atomic_load_int64_t(atomic_int_least64_t * object) {return atomic_load(object);}

static inline uint64_t rcutils_atomic_load_uint64_t(atomic_uint_least64_t * object) {return atomic_load(object);}

static inline uintptr_t rcutils_atomic_load_uintptr_t(atomic_uintptr_t * object) {return atomic_load(object);}

static inline bool rcutils_atomic_exchange_bool(atomic_bool * object, bool desired)
{
  return atomic_exchange(object, desired);
}

static inline int64_t rcutils_atomic_exchange_int64_t(atomic_int_least64_t * object, int64_t desired)
{
  return atomic_exchange(object, desired);
}

static inline uint64_t rcutils_atomic_exchange_uint64_t(atomic_uint_least64_t * object, uint64_t desired)
{
  return atomic_exchange(object, desired);
}

static inline uintptr_t rcutils_atomic_exchange_uintptr_t(atomic_uintptr_t * object, uintptr_t desired)
{
  return atomic_exchange(object, desired);
}

static inline bool rcutils_atomic_compare_exchange_strong_uint_least64_t(
  atomic_uint_least64_t * object, uint64_t * expected, uint64_t desired)
{
  uint_least64_t value = *expected;
  const bool is_equal = atomic_compare_exchange_strong(object, &value, desired);
  *expected = value;
  return is_equal;
}

static inline uint64_t rcutils_atomic_fetch_add_uint64_t(atomic_uint_least64_t * object, uint64_t arg)
{
  return atomic_fetch_add(object, arg);
}

#endif

#endif
