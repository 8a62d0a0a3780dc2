#include "rcutils/types/hash_map.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rcutils/error_handling.h"

namespace
{

// A pair in the chain of its bucket. Key and value follow in memory.
struct Entry
{
  Entry * next;
  size_t hash;
};

}  // namespace

struct rcutils_hash_map_impl_s
{
  Entry ** buckets;
  // A power of two.
  size_t capacity;
  size_t size;
  size_t key_size;
  size_t value_size;
  rcutils_hash_map_key_hasher_t hash;
  rcutils_hash_map_key_cmp_t compare;
  rcutils_allocator_t allocator;
};

namespace
{

using Impl = rcutils_hash_map_impl_s;

constexpr size_t alignment = alignof(std::max_align_t);

size_t aligned(size_t size) {return (size + alignment - 1) / alignment * alignment;}

void * key_of(Entry * entry) {return reinterpret_cast<uint8_t *>(entry) + aligned(sizeof(Entry));}

void * value_of(const Impl * impl, Entry * entry)
{
  return static_cast<uint8_t *>(key_of(entry)) + aligned(impl->key_size);
}

rcutils_ret_t check(const rcutils_hash_map_t * map)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(map, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(
    map->impl, "the hash map is not initialized", return RCUTILS_RET_NOT_INITIALIZED);
  return RCUTILS_RET_OK;
}

// Returns the link that points to the entry of a key, or to the end of the chain.
Entry ** find(const Impl * impl, const void * key, size_t hash)
{
  Entry ** link = &impl->buckets[hash & (impl->capacity - 1)];
  while (*link && ((*link)->hash != hash || impl->compare(key_of(*link), key) != 0)) {
    link = &(*link)->next;
  }
  return link;
}

Entry ** make_buckets(const rcutils_allocator_t * allocator, size_t capacity)
{
  return static_cast<Entry **>(allocator->zero_allocate(capacity, sizeof(Entry *), allocator->state));
}

// Doubles the number of buckets. If memory is missing the chains stay longer, which is no error.
void grow(Impl * impl)
{
  Entry ** const old_buckets = impl->buckets;
  const size_t old_capacity = impl->capacity;
  Entry ** buckets = make_buckets(&impl->allocator, 2 * old_capacity);
  if (!buckets) {
    return;
  }
  impl->buckets = buckets;
  impl->capacity = 2 * old_capacity;
  for (size_t index = 0; index < old_capacity; ++index) {
    for (Entry * entry = old_buckets[index]; entry; ) {
      Entry * next = entry->next;
      Entry ** bucket = &buckets[entry->hash & (impl->capacity - 1)];
      entry->next = *bucket;
      *bucket = entry;
      entry = next;
    }
  }
  impl->allocator.deallocate(old_buckets, impl->allocator.state);
}

rcutils_ret_t append(Impl * impl, Entry ** end, size_t hash, const void * key, const void * value)
{
  const size_t size = aligned(sizeof(Entry)) + aligned(impl->key_size) + impl->value_size;
  auto entry = static_cast<Entry *>(impl->allocator.allocate(size, impl->allocator.state));
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(entry, "no memory for an entry of a hash map", return RCUTILS_RET_BAD_ALLOC);
  *entry = {nullptr, hash};
  std::memcpy(key_of(entry), key, impl->key_size);
  std::memcpy(value_of(impl, entry), value, impl->value_size);
  *end = entry;
  ++impl->size;
  if (impl->size > impl->capacity - impl->capacity / 4) {
    grow(impl);
  }
  return RCUTILS_RET_OK;
}

}  // namespace

size_t rcutils_hash_map_string_hash_func(const void * key_str)
{
  // FNV-1a.
  uint64_t hash = 0xcbf29ce484222325U;
  const auto text = *static_cast<const char * const *>(key_str);
  for (const char * at = text; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3U;
  }
  return static_cast<size_t>(hash);
}

int rcutils_hash_map_string_cmp_func(const void * val1, const void * val2)
{
  return std::strcmp(*static_cast<const char * const *>(val1), *static_cast<const char * const *>(val2));
}

rcutils_hash_map_t rcutils_get_zero_initialized_hash_map() {return {nullptr};}

rcutils_ret_t rcutils_hash_map_init(
  rcutils_hash_map_t * hash_map, size_t initial_capacity, size_t key_size, size_t data_size,
  rcutils_hash_map_key_hasher_t key_hashing_func, rcutils_hash_map_key_cmp_t key_cmp_func,
  const rcutils_allocator_t * allocator)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(hash_map, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key_hashing_func, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key_cmp_func, RCUTILS_RET_INVALID_ARGUMENT);
  if (hash_map->impl) {
    RCUTILS_SET_ERROR_MSG("the hash map is initialized already");
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  if (initial_capacity == 0 || initial_capacity > SIZE_MAX / 4 || key_size == 0 || data_size == 0) {
    RCUTILS_SET_ERROR_MSG("the capacity or a size of the hash map is out of range");
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  size_t capacity = 1;
  while (capacity < initial_capacity) {
    capacity *= 2;
  }
  auto impl = static_cast<Impl *>(allocator->allocate(sizeof(Impl), allocator->state));
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(impl, "no memory for a hash map", return RCUTILS_RET_BAD_ALLOC);
  Entry ** buckets = make_buckets(allocator, capacity);
  if (!buckets) {
    allocator->deallocate(impl, allocator->state);
    RCUTILS_SET_ERROR_MSG("no memory for the buckets of a hash map");
    return RCUTILS_RET_BAD_ALLOC;
  }
  *impl = {buckets, capacity, 0, key_size, data_size, key_hashing_func, key_cmp_func, *allocator};
  hash_map->impl = impl;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_hash_map_fini(rcutils_hash_map_t * hash_map)
{
  const rcutils_ret_t ret = check(hash_map);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  Impl * impl = hash_map->impl;
  const rcutils_allocator_t allocator = impl->allocator;
  for (size_t index = 0; index < impl->capacity; ++index) {
    for (Entry * entry = impl->buckets[index]; entry; ) {
      Entry * next = entry->next;
      allocator.deallocate(entry, allocator.state);
      entry = next;
    }
  }
  allocator.deallocate(impl->buckets, allocator.state);
  allocator.deallocate(impl, allocator.state);
  hash_map->impl = nullptr;
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_hash_map_get_capacity(const rcutils_hash_map_t * hash_map, size_t * capacity)
{
  const rcutils_ret_t ret = check(hash_map);
  if (ret == RCUTILS_RET_OK) {
    RCUTILS_CHECK_ARGUMENT_FOR_NULL(capacity, RCUTILS_RET_INVALID_ARGUMENT);
    *capacity = hash_map->impl->capacity;
  }
  return ret;
}

rcutils_ret_t rcutils_hash_map_get_size(const rcutils_hash_map_t * hash_map, size_t * size)
{
  const rcutils_ret_t ret = check(hash_map);
  if (ret == RCUTILS_RET_OK) {
    RCUTILS_CHECK_ARGUMENT_FOR_NULL(size, RCUTILS_RET_INVALID_ARGUMENT);
    *size = hash_map->impl->size;
  }
  return ret;
}

rcutils_ret_t rcutils_hash_map_set(rcutils_hash_map_t * hash_map, const void * key, const void * value)
{
  const rcutils_ret_t ret = check(hash_map);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(value, RCUTILS_RET_INVALID_ARGUMENT);
  Impl * impl = hash_map->impl;
  const size_t hash = impl->hash(key);
  Entry ** link = find(impl, key, hash);
  if (*link) {
    std::memcpy(value_of(impl, *link), value, impl->value_size);
    return RCUTILS_RET_OK;
  }
  return append(impl, link, hash, key, value);
}

rcutils_ret_t rcutils_hash_map_unset(rcutils_hash_map_t * hash_map, const void * key)
{
  const rcutils_ret_t ret = check(hash_map);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key, RCUTILS_RET_INVALID_ARGUMENT);
  Impl * impl = hash_map->impl;
  Entry ** link = find(impl, key, impl->hash(key));
  if (Entry * removed = *link) {
    *link = removed->next;
    impl->allocator.deallocate(removed, impl->allocator.state);
    --impl->size;
  }
  return RCUTILS_RET_OK;
}

bool rcutils_hash_map_key_exists(const rcutils_hash_map_t * hash_map, const void * key)
{
  if (!hash_map || !hash_map->impl || !key) {
    return false;
  }
  return *find(hash_map->impl, key, hash_map->impl->hash(key)) != nullptr;
}

rcutils_ret_t rcutils_hash_map_get(const rcutils_hash_map_t * hash_map, const void * key, void * data)
{
  const rcutils_ret_t ret = check(hash_map);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(data, RCUTILS_RET_INVALID_ARGUMENT);
  const Impl * impl = hash_map->impl;
  Entry * entry = *find(impl, key, impl->hash(key));
  if (!entry) {
    return RCUTILS_RET_NOT_FOUND;
  }
  std::memcpy(data, value_of(impl, entry), impl->value_size);
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_hash_map_get_next_key_and_data(
  const rcutils_hash_map_t * hash_map, const void * previous_key, void * key, void * data)
{
  const rcutils_ret_t ret = check(hash_map);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(key, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(data, RCUTILS_RET_INVALID_ARGUMENT);
  const Impl * impl = hash_map->impl;
  Entry * entry = nullptr;
  size_t bucket = 0;
  if (previous_key) {
    const size_t hash = impl->hash(previous_key);
    Entry * previous = *find(impl, previous_key, hash);
    if (!previous) {
      return RCUTILS_RET_NOT_FOUND;
    }
    entry = previous->next;
    bucket = (hash & (impl->capacity - 1)) + 1;
  }
  while (!entry && bucket < impl->capacity) {
    entry = impl->buckets[bucket];
    ++bucket;
  }
  if (!entry) {
    return RCUTILS_RET_HASH_MAP_NO_MORE_ENTRIES;
  }
  std::memcpy(key, key_of(entry), impl->key_size);
  std::memcpy(data, value_of(impl, entry), impl->value_size);
  return RCUTILS_RET_OK;
}
