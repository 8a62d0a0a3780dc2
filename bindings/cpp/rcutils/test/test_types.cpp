#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>

#include "failing_allocator.hpp"
#include "rcutils/error_handling.h"
#include "rcutils/macros.h"
#include "rcutils/strdup.h"
#include "rcutils/types.h"

namespace
{

const rcutils_allocator_t allocator = rcutils_get_default_allocator();

#define EXPECT_OK(expression) EXPECT_EQ(RCUTILS_RET_OK, expression)
#define EXPECT_RET(ret, expression) \
  do { \
    EXPECT_EQ(ret, expression); \
    rcutils_reset_error(); \
  } while (0)

TEST(Uint8Array, grows_and_shrinks)
{
  auto array = rcutils_get_zero_initialized_uint8_array();
  EXPECT_RET(RCUTILS_RET_INVALID_ARGUMENT, rcutils_uint8_array_fini(&array));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_uint8_array_init(&array, 0, &allocator));
  EXPECT_EQ(nullptr, array.buffer);
  EXPECT_OK(rcutils_uint8_array_resize(&array, 8));
  EXPECT_EQ(8u, array.buffer_capacity);
  EXPECT_EQ(0u, array.buffer_length);
  std::memcpy(array.buffer, "1234567", 8);
  array.buffer_length = 8;
  EXPECT_OK(rcutils_uint8_array_resize(&array, 100));
  EXPECT_EQ(0, std::memcmp(array.buffer, "1234567", 8));
  EXPECT_EQ(8u, array.buffer_length);
  EXPECT_OK(rcutils_uint8_array_resize(&array, 3));
  EXPECT_EQ(3u, array.buffer_length);
  EXPECT_RET(RCUTILS_RET_INVALID_ARGUMENT, rcutils_uint8_array_resize(&array, 0));
  EXPECT_OK(rcutils_uint8_array_fini(&array));
  EXPECT_EQ(0u, array.buffer_capacity);
  int successes = 0;
  const auto failing = failing_allocator(&successes);
  EXPECT_RET(RCUTILS_RET_BAD_ALLOC, rcutils_uint8_array_init(&array, 1, &failing));
}

TEST(CharArray, text)
{
  auto array = rcutils_get_zero_initialized_char_array();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_char_array_init(&array, 2, &allocator));
  EXPECT_OK(rcutils_char_array_strcat(&array, "ab"));
  EXPECT_OK(rcutils_char_array_strncat(&array, "cdef", 2));
  EXPECT_STREQ("abcd", array.buffer);
  EXPECT_EQ(5u, array.buffer_length);
  EXPECT_OK(rcutils_char_array_strcpy(&array, "x"));
  EXPECT_STREQ("x", array.buffer);
  EXPECT_OK(rcutils_char_array_memcpy(&array, "raw", 3));
  EXPECT_EQ(3u, array.buffer_length);
  EXPECT_OK(rcutils_char_array_resize(&array, 1000));
  EXPECT_EQ(1000u, array.buffer_capacity);
  EXPECT_OK(rcutils_char_array_fini(&array));
}

rcutils_ret_t print(rcutils_char_array_t * array, const char * format, ...)
{
  va_list args;
  va_start(args, format);
  const rcutils_ret_t ret = rcutils_char_array_vsprintf(array, format, args);
  va_end(args);
  return ret;
}

TEST(CharArray, a_foreign_buffer_is_left_when_it_is_too_small)
{
  char memory[4] = "";
  rcutils_char_array_t array = {memory, false, 0, sizeof(memory), allocator};
  EXPECT_OK(print(&array, "%d", 123));
  EXPECT_EQ(memory, array.buffer);
  EXPECT_OK(rcutils_char_array_strcat(&array, "456"));
  EXPECT_NE(memory, array.buffer);
  EXPECT_STREQ("123456", array.buffer);
  EXPECT_STREQ("123", memory);
  EXPECT_OK(rcutils_char_array_fini(&array));
}

TEST(StringArray, resize_compare_sort)
{
  auto array = rcutils_get_zero_initialized_string_array();
  EXPECT_OK(rcutils_string_array_fini(&array));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_array_init(&array, 3, &allocator));
  array.data[0] = rcutils_strdup("b", allocator);
  array.data[2] = rcutils_strdup("a", allocator);
  EXPECT_OK(rcutils_string_array_sort(&array));
  EXPECT_STREQ("a", array.data[0]);
  EXPECT_STREQ("b", array.data[1]);
  EXPECT_EQ(nullptr, array.data[2]);
  EXPECT_OK(rcutils_string_array_resize(&array, 5));
  EXPECT_EQ(nullptr, array.data[4]);
  EXPECT_OK(rcutils_string_array_resize(&array, 1));
  EXPECT_STREQ("a", array.data[0]);
  auto other = rcutils_get_zero_initialized_string_array();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_array_init(&other, 2, &allocator));
  int order = 0;
  EXPECT_RET(RCUTILS_RET_ERROR, rcutils_string_array_cmp(&array, &other, &order));
  other.data[0] = rcutils_strdup("a", allocator);
  EXPECT_OK(rcutils_string_array_cmp(&array, &other, &order));
  EXPECT_GT(0, order);
  EXPECT_OK(rcutils_string_array_fini(&array));
  EXPECT_OK(rcutils_string_array_fini(&other));
}

TEST(StringMap, as_a_map)
{
  auto map = rcutils_get_zero_initialized_string_map();
  EXPECT_RET(RCUTILS_RET_STRING_MAP_INVALID, rcutils_string_map_set(&map, "a", "1"));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_map_init(&map, 1, allocator));
  EXPECT_RET(RCUTILS_RET_STRING_MAP_ALREADY_INIT, rcutils_string_map_init(&map, 1, allocator));
  EXPECT_OK(rcutils_string_map_set_no_resize(&map, "a", "1"));
  EXPECT_OK(rcutils_string_map_set_no_resize(&map, "a", "2"));
  EXPECT_RET(RCUTILS_RET_NOT_ENOUGH_SPACE, rcutils_string_map_set_no_resize(&map, "b", "3"));
  EXPECT_OK(rcutils_string_map_set(&map, "ab", "3"));
  EXPECT_OK(rcutils_string_map_set(&map, "c", "4"));
  EXPECT_STREQ("2", rcutils_string_map_get(&map, "a"));
  EXPECT_STREQ("3", rcutils_string_map_getn(&map, "abc", 2));
  EXPECT_TRUE(rcutils_string_map_key_exists(&map, "c"));
  EXPECT_FALSE(rcutils_string_map_key_exists(&map, "b"));
  std::string keys;
  for (const char * key = rcutils_string_map_get_next_key(&map, nullptr); key;
    key = rcutils_string_map_get_next_key(&map, key))
  {
    keys += key;
  }
  EXPECT_EQ("aabc", keys);
  EXPECT_OK(rcutils_string_map_unset(&map, "ab"));
  EXPECT_RET(RCUTILS_RET_STRING_KEY_NOT_FOUND, rcutils_string_map_unset(&map, "ab"));
  auto copy = rcutils_get_zero_initialized_string_map();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_map_init(&copy, 0, allocator));
  EXPECT_OK(rcutils_string_map_copy(&map, &copy));
  size_t size = 0;
  EXPECT_OK(rcutils_string_map_get_size(&copy, &size));
  EXPECT_EQ(2u, size);
  EXPECT_OK(rcutils_string_map_clear(&copy));
  EXPECT_OK(rcutils_string_map_reserve(&copy, 0));
  EXPECT_OK(rcutils_string_map_get_capacity(&copy, &size));
  EXPECT_EQ(0u, size);
  EXPECT_OK(rcutils_string_map_fini(&copy));
  EXPECT_OK(rcutils_string_map_fini(&map));
  EXPECT_OK(rcutils_string_map_fini(&map));
}

TEST(ArrayList, as_a_vector)
{
  auto list = rcutils_get_zero_initialized_array_list();
  int value = 1;
  EXPECT_RET(RCUTILS_RET_NOT_INITIALIZED, rcutils_array_list_add(&list, &value));
  EXPECT_RET(RCUTILS_RET_INVALID_ARGUMENT, rcutils_array_list_init(&list, 0, sizeof(int), &allocator));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_array_list_init(&list, 1, sizeof(int), &allocator));
  for (value = 0; value < 10; ++value) {
    EXPECT_OK(rcutils_array_list_add(&list, &value));
  }
  EXPECT_OK(rcutils_array_list_remove(&list, 3));
  value = 77;
  EXPECT_OK(rcutils_array_list_set(&list, 0, &value));
  EXPECT_OK(rcutils_array_list_get(&list, 3, &value));
  EXPECT_EQ(4, value);
  EXPECT_OK(rcutils_array_list_get(&list, 0, &value));
  EXPECT_EQ(77, value);
  EXPECT_RET(RCUTILS_RET_INVALID_ARGUMENT, rcutils_array_list_get(&list, 9, &value));
  size_t size = 0;
  EXPECT_OK(rcutils_array_list_get_size(&list, &size));
  EXPECT_EQ(9u, size);
  EXPECT_OK(rcutils_array_list_fini(&list));
}

size_t bad_hash(const void * key) {return static_cast<size_t>(*static_cast<const int *>(key) % 3);}

int compare_int(const void * a, const void * b)
{
  return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

TEST(HashMap, as_a_map)
{
  auto map = rcutils_get_zero_initialized_hash_map();
  ASSERT_EQ(
    RCUTILS_RET_OK,
    rcutils_hash_map_init(&map, 2, sizeof(int), sizeof(double), bad_hash, compare_int, &allocator));
  std::map<int, double> expected;
  std::mt19937 random(1);
  for (int step = 0; step < 2000; ++step) {
    const int key = static_cast<int>(random() % 100);
    if (random() % 3 == 0) {
      EXPECT_OK(rcutils_hash_map_unset(&map, &key));
      expected.erase(key);
    } else {
      const double value = step;
      EXPECT_OK(rcutils_hash_map_set(&map, &key, &value));
      expected[key] = value;
    }
  }
  size_t size = 0;
  EXPECT_OK(rcutils_hash_map_get_size(&map, &size));
  EXPECT_EQ(expected.size(), size);
  std::map<int, double> found;
  int key = 0;
  double value = 0;
  rcutils_ret_t ret = rcutils_hash_map_get_next_key_and_data(&map, nullptr, &key, &value);
  for (; ret == RCUTILS_RET_OK; ret = rcutils_hash_map_get_next_key_and_data(&map, &key, &key, &value)) {
    found[key] = value;
  }
  EXPECT_EQ(RCUTILS_RET_HASH_MAP_NO_MORE_ENTRIES, ret);
  EXPECT_EQ(expected, found);
  key = 1000;
  EXPECT_FALSE(rcutils_hash_map_key_exists(&map, &key));
  EXPECT_EQ(RCUTILS_RET_NOT_FOUND, rcutils_hash_map_get(&map, &key, &value));
  EXPECT_OK(rcutils_hash_map_fini(&map));
  EXPECT_RET(RCUTILS_RET_NOT_INITIALIZED, rcutils_hash_map_fini(&map));
}

TEST(HashMap, of_strings)
{
  auto map = rcutils_get_zero_initialized_hash_map();
  ASSERT_EQ(
    RCUTILS_RET_OK,
    rcutils_hash_map_init(
      &map, 8, sizeof(char *), sizeof(int), rcutils_hash_map_string_hash_func, rcutils_hash_map_string_cmp_func,
      &allocator));
  const char * key = "key";
  const int value = 5;
  EXPECT_OK(rcutils_hash_map_set(&map, &key, &value));
  const std::string same = "key";
  const char * same_key = same.c_str();
  int found = 0;
  EXPECT_OK(rcutils_hash_map_get(&map, &same_key, &found));
  EXPECT_EQ(5, found);
  EXPECT_OK(rcutils_hash_map_fini(&map));
}

TEST(Macros, values)
{
  EXPECT_STREQ("12", RCUTILS_STRINGIFY(RCUTILS_JOIN(1, 2)));
  const int * pointer = nullptr;
  EXPECT_TRUE(RCUTILS_UNLIKELY(!pointer));
  RCUTILS_UNUSED(pointer);
  int runs = 0;
  RCUTILS_FAULT_INJECTION_TEST({++runs;});
  RCUTILS_NO_FAULT_INJECTION(++runs);
  EXPECT_EQ(2, runs);
}

}  // namespace
