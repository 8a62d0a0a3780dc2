#include "rcutils/types/string_map.h"

#include <cstring>

#include "rcutils/error_handling.h"
#include "rcutils/strdup.h"

namespace
{

struct Pair
{
  char * key;
  char * value;
};

}  // namespace

// The pairs lie in the order in which their keys were added, without gaps.
struct rcutils_string_map_impl_s
{
  Pair * pairs;
  size_t size;
  size_t capacity;
  rcutils_allocator_t allocator;
};

namespace
{

using Impl = rcutils_string_map_impl_s;

rcutils_ret_t check(const rcutils_string_map_t * map)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(map, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(
    map->impl, "the string map is not initialized", return RCUTILS_RET_STRING_MAP_INVALID);
  return RCUTILS_RET_OK;
}

Pair * find(const Impl * impl, const char * key, size_t key_length)
{
  for (size_t index = 0; index < impl->size; ++index) {
    const char * candidate = impl->pairs[index].key;
    if (std::strncmp(candidate, key, key_length) == 0 && candidate[key_length] == '\0') {
      return &impl->pairs[index];
    }
  }
  return nullptr;
}

void release(const Impl * impl, const Pair & pair)
{
  impl->allocator.deallocate(pair.key, impl->allocator.state);
  impl->allocator.deallocate(pair.value, impl->allocator.state);
}

void clear(Impl * impl)
{
  for (size_t index = 0; index < impl->size; ++index) {
    release(impl, impl->pairs[index]);
  }
  impl->size = 0;
}

rcutils_ret_t set_capacity(Impl * impl, size_t capacity)
{
  if (capacity < impl->size) {
    capacity = impl->size;
  }
  if (capacity == impl->capacity) {
    return RCUTILS_RET_OK;
  }
  if (capacity == 0) {
    impl->allocator.deallocate(impl->pairs, impl->allocator.state);
    impl->pairs = nullptr;
  } else {
    void * moved = capacity > SIZE_MAX / sizeof(Pair) ? nullptr :
      impl->allocator.reallocate(impl->pairs, capacity * sizeof(Pair), impl->allocator.state);
    RCUTILS_CHECK_FOR_NULL_WITH_MSG(moved, "no memory for a string map", return RCUTILS_RET_BAD_ALLOC);
    impl->pairs = static_cast<Pair *>(moved);
  }
  impl->capacity = capacity;
  return RCUTILS_RET_OK;
}

rcutils_ret_t replace_value(const Impl * impl, Pair * pair, const char * value)
{
  char * copy = rcutils_strdup(value, impl->allocator);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(copy, "no memory for a value", return RCUTILS_RET_BAD_ALLOC);
  impl->allocator.deallocate(pair->value, impl->allocator.state);
  pair->value = copy;
  return RCUTILS_RET_OK;
}

rcutils_ret_t append(Impl * impl, const char * key, const char * value)
{
  const Pair pair = {rcutils_strdup(key, impl->allocator), rcutils_strdup(value, impl->allocator)};
  if (!pair.key || !pair.value) {
    release(impl, pair);
    RCUTILS_SET_ERROR_MSG("no memory for a pair");
    return RCUTILS_RET_BAD_ALLOC;
  }
  impl->pairs[impl->size] = pair;
  ++impl->size;
  return RCUTILS_RET_OK;
}

rcutils_ret_t set(rcutils_string_map_t * map, const char * key, const char * value, bool may_grow)
{
  const rcutils_ret_t ret = check(map);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(value, RCUTILS_RET_INVALID_ARGUMENT);
  Pair * pair = find(map->impl, key, std::strlen(key));
  if (pair) {
    return replace_value(map->impl, pair, value);
  }
  if (map->impl->size == map->impl->capacity) {
    if (!may_grow) {
      RCUTILS_SET_ERROR_MSG("the string map is full");
      return RCUTILS_RET_NOT_ENOUGH_SPACE;
    }
    const rcutils_ret_t grown = set_capacity(map->impl, map->impl->capacity == 0 ? 1 : 2 * map->impl->capacity);
    if (grown != RCUTILS_RET_OK) {
      return grown;
    }
  }
  return append(map->impl, key, value);
}

}  // namespace

rcutils_string_map_t rcutils_get_zero_initialized_string_map() {return {nullptr};}

rcutils_ret_t rcutils_string_map_init(
  rcutils_string_map_t * string_map, size_t initial_capacity, rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_map, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  if (string_map->impl) {
    RCUTILS_SET_ERROR_MSG("the string map is initialized already");
    return RCUTILS_RET_STRING_MAP_ALREADY_INIT;
  }
  auto impl = static_cast<Impl *>(allocator.allocate(sizeof(Impl), allocator.state));
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(impl, "no memory for a string map", return RCUTILS_RET_BAD_ALLOC);
  *impl = {nullptr, 0, 0, allocator};
  const rcutils_ret_t ret = set_capacity(impl, initial_capacity);
  if (ret != RCUTILS_RET_OK) {
    allocator.deallocate(impl, allocator.state);
    return ret;
  }
  string_map->impl = impl;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_string_map_fini(rcutils_string_map_t * string_map)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(string_map, RCUTILS_RET_INVALID_ARGUMENT);
  if (Impl * impl = string_map->impl) {
    clear(impl);
    const rcutils_allocator_t allocator = impl->allocator;
    allocator.deallocate(impl->pairs, allocator.state);
    allocator.deallocate(impl, allocator.state);
    string_map->impl = nullptr;
  }
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_string_map_get_capacity(const rcutils_string_map_t * string_map, size_t * capacity)
{
  const rcutils_ret_t ret = check(string_map);
  if (ret == RCUTILS_RET_OK) {
    RCUTILS_CHECK_ARGUMENT_FOR_NULL(capacity, RCUTILS_RET_INVALID_ARGUMENT);
    *capacity = string_map->impl->capacity;
  }
  return ret;
}

rcutils_ret_t rcutils_string_map_get_size(const rcutils_string_map_t * string_map, size_t * size)
{
  const rcutils_ret_t ret = check(string_map);
  if (ret == RCUTILS_RET_OK) {
    RCUTILS_CHECK_ARGUMENT_FOR_NULL(size, RCUTILS_RET_INVALID_ARGUMENT);
    *size = string_map->impl->size;
  }
  return ret;
}

rcutils_ret_t rcutils_string_map_reserve(rcutils_string_map_t * string_map, size_t capacity)
{
  const rcutils_ret_t ret = check(string_map);
  return ret == RCUTILS_RET_OK ? set_capacity(string_map->impl, capacity) : ret;
}

rcutils_ret_t rcutils_string_map_clear(rcutils_string_map_t * string_map)
{
  const rcutils_ret_t ret = check(string_map);
  if (ret == RCUTILS_RET_OK) {
    clear(string_map->impl);
  }
  return ret;
}

rcutils_ret_t rcutils_string_map_set(rcutils_string_map_t * string_map, const char * key, const char * value)
{
  return set(string_map, key, value, true);
}

rcutils_ret_t rcutils_string_map_set_no_resize(
  rcutils_string_map_t * string_map, const char * key, const char * value)
{
  return set(string_map, key, value, false);
}

rcutils_ret_t rcutils_string_map_unset(rcutils_string_map_t * string_map, const char * key)
{
  const rcutils_ret_t ret = check(string_map);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key, RCUTILS_RET_INVALID_ARGUMENT);
  Impl * impl = string_map->impl;
  Pair * pair = find(impl, key, std::strlen(key));
  if (!pair) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("the string map has no key '%s'", key);
    return RCUTILS_RET_STRING_KEY_NOT_FOUND;
  }
  release(impl, *pair);
  const auto behind = static_cast<size_t>(impl->pairs + impl->size - (pair + 1));
  std::memmove(pair, pair + 1, behind * sizeof(Pair));
  --impl->size;
  return RCUTILS_RET_OK;
}

bool rcutils_string_map_key_exists(const rcutils_string_map_t * string_map, const char * key)
{
  return key && rcutils_string_map_key_existsn(string_map, key, std::strlen(key));
}

bool rcutils_string_map_key_existsn(
  const rcutils_string_map_t * string_map, const char * key, size_t key_length)
{
  return string_map && string_map->impl && key && find(string_map->impl, key, key_length);
}

const char * rcutils_string_map_get(const rcutils_string_map_t * string_map, const char * key)
{
  return key ? rcutils_string_map_getn(string_map, key, std::strlen(key)) : nullptr;
}

const char * rcutils_string_map_getn(
  const rcutils_string_map_t * string_map, const char * key, size_t key_length)
{
  if (!string_map || !string_map->impl || !key) {
    return nullptr;
  }
  const Pair * pair = find(string_map->impl, key, key_length);
  return pair ? pair->value : nullptr;
}

const char * rcutils_string_map_get_next_key(const rcutils_string_map_t * string_map, const char * key)
{
  if (!string_map || !string_map->impl) {
    return nullptr;
  }
  const Impl * impl = string_map->impl;
  size_t next = 0;
  if (key) {
    // Keys that this function returned are compared as pointers.
    while (next < impl->size && impl->pairs[next].key != key) {
      ++next;
    }
    ++next;
  }
  return next < impl->size ? impl->pairs[next].key : nullptr;
}

rcutils_ret_t rcutils_string_map_copy(
  const rcutils_string_map_t * src_string_map, rcutils_string_map_t * dst_string_map)
{
  rcutils_ret_t ret = check(src_string_map);
  if (ret == RCUTILS_RET_OK) {
    ret = check(dst_string_map);
  }
  if (ret != RCUTILS_RET_OK || src_string_map->impl == dst_string_map->impl) {
    return ret;
  }
  const Impl * source = src_string_map->impl;
  for (size_t index = 0; index < source->size && ret == RCUTILS_RET_OK; ++index) {
    ret = rcutils_string_map_set(dst_string_map, source->pairs[index].key, source->pairs[index].value);
  }
  return ret;
}
