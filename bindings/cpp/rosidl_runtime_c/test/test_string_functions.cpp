#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "rosidl_runtime_c/sequence_bound.h"
#include "rosidl_runtime_c/string_bound.h"
#include "rosidl_runtime_c/string_functions.h"
#include "rosidl_runtime_c/u16string_functions.h"

namespace
{

TEST(String, InitMakesAnEmptyString)
{
  rosidl_runtime_c__String string;
  ASSERT_TRUE(rosidl_runtime_c__String__init(&string));
  EXPECT_STREQ("", string.data);
  EXPECT_EQ(0u, string.size);
  EXPECT_EQ(1u, string.capacity);
  rosidl_runtime_c__String__fini(&string);
  EXPECT_EQ(nullptr, string.data);
  EXPECT_EQ(0u, string.capacity);
  rosidl_runtime_c__String__fini(&string);
  rosidl_runtime_c__String__fini(nullptr);
}

TEST(String, Assign)
{
  rosidl_runtime_c__String string;
  ASSERT_TRUE(rosidl_runtime_c__String__init(&string));
  ASSERT_TRUE(rosidl_runtime_c__String__assign(&string, "hello"));
  EXPECT_STREQ("hello", string.data);
  EXPECT_EQ(5u, string.size);
  ASSERT_TRUE(rosidl_runtime_c__String__assignn(&string, "hello", 3));
  EXPECT_STREQ("hel", string.data);
  EXPECT_EQ(3u, string.size);
  EXPECT_EQ(4u, string.capacity);
  ASSERT_TRUE(rosidl_runtime_c__String__assign(&string, ""));
  EXPECT_EQ(0u, string.size);
  EXPECT_FALSE(rosidl_runtime_c__String__assignn(&string, "a", SIZE_MAX));
  EXPECT_FALSE(rosidl_runtime_c__String__assignn(&string, nullptr, 1));
  EXPECT_FALSE(rosidl_runtime_c__String__assign(&string, nullptr));
  EXPECT_FALSE(rosidl_runtime_c__String__assign(nullptr, "a"));
  rosidl_runtime_c__String__fini(&string);
}

TEST(String, CopyAndCompare)
{
  rosidl_runtime_c__String first;
  rosidl_runtime_c__String second;
  ASSERT_TRUE(rosidl_runtime_c__String__init(&first));
  ASSERT_TRUE(rosidl_runtime_c__String__init(&second));
  EXPECT_TRUE(rosidl_runtime_c__String__are_equal(&first, &second));
  // A string may contain a zero.
  ASSERT_TRUE(rosidl_runtime_c__String__assignn(&first, "a\0b", 3));
  EXPECT_FALSE(rosidl_runtime_c__String__are_equal(&first, &second));
  ASSERT_TRUE(rosidl_runtime_c__String__copy(&first, &second));
  EXPECT_TRUE(rosidl_runtime_c__String__are_equal(&first, &second));
  EXPECT_EQ('b', second.data[2]);
  ASSERT_TRUE(rosidl_runtime_c__String__copy(&first, &first));
  EXPECT_EQ(3u, first.size);
  EXPECT_FALSE(rosidl_runtime_c__String__copy(nullptr, &second));
  EXPECT_FALSE(rosidl_runtime_c__String__copy(&first, nullptr));
  EXPECT_FALSE(rosidl_runtime_c__String__are_equal(nullptr, &second));
  rosidl_runtime_c__String__fini(&first);
  rosidl_runtime_c__String__fini(&second);
}

TEST(String, Sequence)
{
  rosidl_runtime_c__String__Sequence * first = rosidl_runtime_c__String__Sequence__create(2);
  ASSERT_NE(nullptr, first);
  EXPECT_EQ(2u, first->size);
  EXPECT_STREQ("", first->data[1].data);
  ASSERT_TRUE(rosidl_runtime_c__String__assign(&first->data[1], "two"));

  rosidl_runtime_c__String__Sequence second;
  ASSERT_TRUE(rosidl_runtime_c__String__Sequence__init(&second, 0));
  EXPECT_EQ(nullptr, second.data);
  ASSERT_TRUE(rosidl_runtime_c__String__Sequence__copy(first, &second));
  EXPECT_TRUE(rosidl_runtime_c__String__Sequence__are_equal(first, &second));
  EXPECT_STREQ("two", second.data[1].data);

  // The third string stays, behind the size.
  rosidl_runtime_c__String__Sequence third;
  ASSERT_TRUE(rosidl_runtime_c__String__Sequence__init(&third, 3));
  ASSERT_TRUE(rosidl_runtime_c__String__assign(&third.data[2], "three"));
  ASSERT_TRUE(rosidl_runtime_c__String__Sequence__copy(first, &third));
  EXPECT_EQ(2u, third.size);
  EXPECT_EQ(3u, third.capacity);
  EXPECT_TRUE(rosidl_runtime_c__String__Sequence__are_equal(first, &third));

  EXPECT_FALSE(rosidl_runtime_c__String__Sequence__init(nullptr, 1));
  EXPECT_FALSE(rosidl_runtime_c__String__Sequence__copy(first, nullptr));
  EXPECT_FALSE(rosidl_runtime_c__String__Sequence__are_equal(first, nullptr));
  EXPECT_EQ(nullptr, rosidl_runtime_c__String__Sequence__create(SIZE_MAX / 2));
  rosidl_runtime_c__String__Sequence__fini(&second);
  rosidl_runtime_c__String__Sequence__fini(&third);
  rosidl_runtime_c__String__Sequence__destroy(first);
  rosidl_runtime_c__String__Sequence__destroy(nullptr);
}

TEST(U16String, AssignAndResize)
{
  const uint16_t text[] = {'a', 0x20AC, 'c', 0};
  EXPECT_EQ(3u, rosidl_runtime_c__U16String__len(text));
  EXPECT_EQ(0u, rosidl_runtime_c__U16String__len(nullptr));
  rosidl_runtime_c__U16String string;
  ASSERT_TRUE(rosidl_runtime_c__U16String__init(&string));
  EXPECT_EQ(1u, string.capacity);
  ASSERT_TRUE(rosidl_runtime_c__U16String__assign(&string, text));
  EXPECT_EQ(3u, string.size);
  EXPECT_EQ(0x20AC, string.data[1]);
  EXPECT_EQ(0, string.data[3]);
  ASSERT_TRUE(rosidl_runtime_c__U16String__assignn(&string, text, 2));
  EXPECT_EQ(2u, string.size);
  ASSERT_TRUE(rosidl_runtime_c__U16String__resize(&string, 1));
  EXPECT_EQ('a', string.data[0]);
  EXPECT_EQ(0, string.data[1]);
  ASSERT_TRUE(rosidl_runtime_c__U16String__resize(&string, 4));
  EXPECT_EQ('a', string.data[0]);
  EXPECT_EQ(5u, string.capacity);
  EXPECT_FALSE(rosidl_runtime_c__U16String__resize(&string, SIZE_MAX));
  EXPECT_FALSE(rosidl_runtime_c__U16String__resize(nullptr, 1));
  EXPECT_FALSE(rosidl_runtime_c__U16String__assign(&string, nullptr));
  rosidl_runtime_c__U16String__fini(&string);
}

TEST(U16String, AssignFromBytes)
{
  const uint16_t text[] = {'a', 'b'};
  char bytes[5];
  // One byte behind the start of the array, the code units are not aligned.
  std::memcpy(bytes + 1, text, sizeof(text));
  rosidl_runtime_c__U16String string;
  ASSERT_TRUE(rosidl_runtime_c__U16String__init(&string));
  ASSERT_TRUE(rosidl_runtime_c__U16String__assignn_from_char(&string, bytes + 1, 4));
  EXPECT_EQ(2u, string.size);
  EXPECT_EQ('b', string.data[1]);
  EXPECT_FALSE(rosidl_runtime_c__U16String__assignn_from_char(&string, bytes + 1, 3));
  EXPECT_EQ(2u, string.size);
  rosidl_runtime_c__U16String__fini(&string);
}

TEST(U16String, Sequence)
{
  const uint16_t text[] = {'x', 0};
  rosidl_runtime_c__U16String__Sequence * first = rosidl_runtime_c__U16String__Sequence__create(1);
  ASSERT_NE(nullptr, first);
  ASSERT_TRUE(rosidl_runtime_c__U16String__assign(&first->data[0], text));
  rosidl_runtime_c__U16String__Sequence second;
  ASSERT_TRUE(rosidl_runtime_c__U16String__Sequence__init(&second, 0));
  EXPECT_FALSE(rosidl_runtime_c__U16String__Sequence__are_equal(first, &second));
  ASSERT_TRUE(rosidl_runtime_c__U16String__Sequence__copy(first, &second));
  EXPECT_TRUE(rosidl_runtime_c__U16String__Sequence__are_equal(first, &second));
  rosidl_runtime_c__U16String__Sequence__fini(&second);
  rosidl_runtime_c__U16String__Sequence__destroy(first);
}

TEST(Bounds, AreStructs)
{
  const rosidl_runtime_c__String__bound string_bound = {3};
  EXPECT_EQ(3u, string_bound.bound);
  const rosidl_runtime_c__Sequence__bound sequence_bound = {"kind", nullptr, nullptr};
  EXPECT_STREQ("kind", sequence_bound.typesupport_identifier);
}

}  // namespace
