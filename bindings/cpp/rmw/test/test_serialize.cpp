#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "geometry_msgs/msg/pose_stamped.hpp"
#include "rmw/error_handling.h"
#include "rmw/rmw.h"
#include "rosidl_typesupport_cpp/message_type_support.hpp"
#include "sensor_msgs/msg/joint_state.hpp"
#include "std_msgs/msg/string.hpp"

namespace
{

/// Has a serialized message.
class Serialize : public ::testing::Test
{
protected:
  void SetUp() override
  {
    const rcutils_allocator_t allocator = rcutils_get_default_allocator();
    ASSERT_EQ(RCUTILS_RET_OK, rmw_serialized_message_init(&bytes, 0, &allocator));
  }

  void TearDown() override
  {
    EXPECT_EQ(RCUTILS_RET_OK, rmw_serialized_message_fini(&bytes));
    rmw_reset_error();
  }

  template<typename Message>
  static const rosidl_message_type_support_t * type_of()
  {
    return rosidl_typesupport_cpp::get_message_type_support_handle<Message>();
  }

  rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
};

TEST_F(Serialize, WritesCdrWithItsEncapsulation)
{
  std_msgs::msg::String message;
  message.data = "hi";
  ASSERT_EQ(RMW_RET_OK, rmw_serialize(&message, type_of<std_msgs::msg::String>(), &bytes));
  const std::vector<uint8_t> expected = {0, 1, 0, 0, 3, 0, 0, 0, 'h', 'i', 0};
  EXPECT_EQ(expected, std::vector<uint8_t>(bytes.buffer, bytes.buffer + bytes.buffer_length));
  // A shorter message keeps the memory.
  const size_t capacity = bytes.buffer_capacity;
  message.data = "";
  ASSERT_EQ(RMW_RET_OK, rmw_serialize(&message, type_of<std_msgs::msg::String>(), &bytes));
  EXPECT_EQ(9u, bytes.buffer_length);
  EXPECT_EQ(capacity, bytes.buffer_capacity);
}

TEST_F(Serialize, ForthAndBack)
{
  sensor_msgs::msg::JointState message;
  message.header.frame_id = "base";
  message.header.stamp.sec = 7;
  message.name = {"a", "bc"};
  message.position = {1.5, -2.5};
  ASSERT_EQ(RMW_RET_OK, rmw_serialize(&message, type_of<sensor_msgs::msg::JointState>(), &bytes));
  sensor_msgs::msg::JointState read;
  ASSERT_EQ(RMW_RET_OK, rmw_deserialize(&bytes, type_of<sensor_msgs::msg::JointState>(), &read));
  EXPECT_EQ(message, read);
}

TEST_F(Serialize, ReadsTheOtherByteOrder)
{
  const std::array<uint8_t, 11> big_endian = {0, 0, 0, 0, 0, 0, 0, 3, 'h', 'i', 0};
  ASSERT_EQ(RCUTILS_RET_OK, rmw_serialized_message_resize(&bytes, big_endian.size()));
  std::copy(big_endian.begin(), big_endian.end(), bytes.buffer);
  bytes.buffer_length = big_endian.size();
  std_msgs::msg::String message;
  ASSERT_EQ(RMW_RET_OK, rmw_deserialize(&bytes, type_of<std_msgs::msg::String>(), &message));
  EXPECT_EQ("hi", message.data);
}

TEST_F(Serialize, WrongBytesAreAnError)
{
  geometry_msgs::msg::PoseStamped message;
  ASSERT_EQ(RMW_RET_OK, rmw_serialize(&message, type_of<geometry_msgs::msg::PoseStamped>(), &bytes));
  for (const size_t length : {size_t{0}, size_t{3}, size_t{4}, bytes.buffer_length - 1}) {
    bytes.buffer_length = length;
    EXPECT_EQ(RMW_RET_ERROR, rmw_deserialize(&bytes, type_of<geometry_msgs::msg::PoseStamped>(), &message));
    EXPECT_NE(
      std::string::npos, std::string(rmw_get_error_string().str).find("geometry_msgs/msg/PoseStamped"));
    rmw_reset_error();
  }
}

TEST_F(Serialize, Arguments)
{
  std_msgs::msg::String message;
  const rosidl_message_type_support_t * type = type_of<std_msgs::msg::String>();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_serialize(nullptr, type, &bytes));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_serialize(&message, nullptr, &bytes));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_serialize(&message, type, nullptr));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_deserialize(nullptr, type, &message));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_deserialize(&bytes, type, nullptr));
}

TEST_F(Serialize, AnotherTypeSupportIsAnError)
{
  const auto none = [](const rosidl_message_type_support_t *, const char *) ->
    const rosidl_message_type_support_t * {return nullptr;};
  const rosidl_message_type_support_t other = {"other_typesupport", nullptr, none, nullptr, nullptr, nullptr};
  std_msgs::msg::String message;
  EXPECT_EQ(RMW_RET_ERROR, rmw_serialize(&message, &other, &bytes));
  EXPECT_NE(std::string::npos, std::string(rmw_get_error_string().str).find("other_typesupport"));
}

}  // namespace
