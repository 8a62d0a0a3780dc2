#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "rosidl_runtime_c/primitives_sequence_functions.h"

namespace
{

TEST(PrimitivesSequence, InitMakesZeros)
{
  rosidl_runtime_c__int32__Sequence sequence;
  ASSERT_TRUE(rosidl_runtime_c__int32__Sequence__init(&sequence, 3));
  EXPECT_EQ(3u, sequence.size);
  EXPECT_EQ(3u, sequence.capacity);
  EXPECT_EQ(0, sequence.data[0]);
  EXPECT_EQ(0, sequence.data[2]);
  rosidl_runtime_c__int32__Sequence__fini(&sequence);
  EXPECT_EQ(nullptr, sequence.data);
  EXPECT_EQ(0u, sequence.size);
  EXPECT_EQ(0u, sequence.capacity);
  rosidl_runtime_c__int32__Sequence__fini(&sequence);
}

TEST(PrimitivesSequence, EmptySequenceHasNoMemory)
{
  rosidl_runtime_c__double__Sequence sequence;
  ASSERT_TRUE(rosidl_runtime_c__double__Sequence__init(&sequence, 0));
  EXPECT_EQ(nullptr, sequence.data);
  rosidl_runtime_c__double__Sequence__fini(&sequence);
}

TEST(PrimitivesSequence, NullIsRefused)
{
  rosidl_runtime_c__uint8__Sequence sequence = {nullptr, 0, 0};
  EXPECT_FALSE(rosidl_runtime_c__uint8__Sequence__init(nullptr, 1));
  EXPECT_FALSE(rosidl_runtime_c__uint8__Sequence__are_equal(nullptr, &sequence));
  EXPECT_FALSE(rosidl_runtime_c__uint8__Sequence__are_equal(&sequence, nullptr));
  EXPECT_FALSE(rosidl_runtime_c__uint8__Sequence__copy(nullptr, &sequence));
  EXPECT_FALSE(rosidl_runtime_c__uint8__Sequence__copy(&sequence, nullptr));
  rosidl_runtime_c__uint8__Sequence__fini(nullptr);
}

TEST(PrimitivesSequence, TooManyElementsAreRefused)
{
  rosidl_runtime_c__int64__Sequence sequence;
  EXPECT_FALSE(rosidl_runtime_c__int64__Sequence__init(&sequence, std::numeric_limits<size_t>::max() / 2));
}

TEST(PrimitivesSequence, CopyGrowsAndKeepsTheCapacity)
{
  rosidl_runtime_c__uint16__Sequence input;
  rosidl_runtime_c__uint16__Sequence output;
  ASSERT_TRUE(rosidl_runtime_c__uint16__Sequence__init(&input, 3));
  ASSERT_TRUE(rosidl_runtime_c__uint16__Sequence__init(&output, 1));
  input.data[1] = 7;
  EXPECT_FALSE(rosidl_runtime_c__uint16__Sequence__are_equal(&input, &output));
  ASSERT_TRUE(rosidl_runtime_c__uint16__Sequence__copy(&input, &output));
  EXPECT_TRUE(rosidl_runtime_c__uint16__Sequence__are_equal(&input, &output));
  EXPECT_EQ(7, output.data[1]);
  EXPECT_EQ(3u, output.capacity);
  output.data[2] = 1;
  EXPECT_FALSE(rosidl_runtime_c__uint16__Sequence__are_equal(&input, &output));
  input.size = 0;
  ASSERT_TRUE(rosidl_runtime_c__uint16__Sequence__copy(&input, &output));
  EXPECT_EQ(0u, output.size);
  EXPECT_EQ(3u, output.capacity);
  rosidl_runtime_c__uint16__Sequence__fini(&input);
  rosidl_runtime_c__uint16__Sequence__fini(&output);
}

TEST(PrimitivesSequence, OtherNamesAreTheSameTypes)
{
  rosidl_runtime_c__bool__Sequence flags;
  ASSERT_TRUE(rosidl_runtime_c__bool__Sequence__init(&flags, 2));
  flags.data[1] = true;
  rosidl_runtime_c__boolean__Sequence copy;
  ASSERT_TRUE(rosidl_runtime_c__boolean__Sequence__init(&copy, 0));
  ASSERT_TRUE(rosidl_runtime_c__bool__Sequence__copy(&flags, &copy));
  EXPECT_TRUE(rosidl_runtime_c__boolean__Sequence__are_equal(&flags, &copy));
  rosidl_runtime_c__boolean__Sequence__fini(&flags);
  rosidl_runtime_c__bool__Sequence__fini(&copy);

  rosidl_runtime_c__float32__Sequence numbers;
  ASSERT_TRUE(rosidl_runtime_c__float__Sequence__init(&numbers, 1));
  numbers.data[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(rosidl_runtime_c__float32__Sequence__are_equal(&numbers, &numbers));
  rosidl_runtime_c__float__Sequence__fini(&numbers);
}

#define CHECK_SEQUENCE(name, type) \
  { \
    rosidl_runtime_c__ ## name ## __Sequence sequence; \
    ASSERT_TRUE(rosidl_runtime_c__ ## name ## __Sequence__init(&sequence, 2)); \
    sequence.data[1] = static_cast<type>(1); \
    rosidl_runtime_c__ ## name ## __Sequence copy; \
    ASSERT_TRUE(rosidl_runtime_c__ ## name ## __Sequence__init(&copy, 0)); \
    ASSERT_TRUE(rosidl_runtime_c__ ## name ## __Sequence__copy(&sequence, &copy)); \
    EXPECT_TRUE(rosidl_runtime_c__ ## name ## __Sequence__are_equal(&sequence, &copy)); \
    rosidl_runtime_c__ ## name ## __Sequence__fini(&sequence); \
    rosidl_runtime_c__ ## name ## __Sequence__fini(&copy); \
  }

TEST(PrimitivesSequence, EachTypeHasItsFunctions)
{
  ROSIDL_RUNTIME_C__FOR_EACH_PRIMITIVE_SEQUENCE(CHECK_SEQUENCE)
}

}  // namespace
