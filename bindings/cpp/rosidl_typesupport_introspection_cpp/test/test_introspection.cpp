#include <gtest/gtest.h>

#include <new>
#include <type_traits>

#include "rosidl_typesupport_introspection_cpp/field_types.hpp"
#include "rosidl_typesupport_introspection_cpp/identifier.hpp"
#include "rosidl_typesupport_introspection_cpp/message_introspection.hpp"
#include "rosidl_typesupport_introspection_cpp/message_type_support_decl.hpp"
#include "rosidl_typesupport_introspection_cpp/service_introspection.hpp"
#include "rosidl_typesupport_introspection_cpp/service_type_support_decl.hpp"

namespace
{

using namespace rosidl_typesupport_introspection_cpp;  // NOLINT

/// A message, described as the code of ROS 2 does it.
struct Point
{
  double x = 1.0;
  int32_t number = 2;
};

void init_point(void * memory, rosidl_runtime_cpp::MessageInitialization) {new (memory) Point();}

void fini_point(void * memory) {static_cast<Point *>(memory)->~Point();}

constexpr MessageMember field(const char * name, uint8_t type, uint32_t offset)
{
  return {
    name, type, 0, nullptr, false, false, 0, false, offset, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
}

TEST(Introspection, the_numbers_of_the_types)
{
  EXPECT_STREQ("rosidl_typesupport_introspection_cpp", typesupport_identifier);
  EXPECT_EQ(1, ROS_TYPE_FLOAT);
  EXPECT_EQ(6, ROS_TYPE_BOOLEAN);
  EXPECT_EQ(8, ROS_TYPE_UINT8);
  EXPECT_EQ(15, ROS_TYPE_INT64);
  EXPECT_EQ(16, ROS_TYPE_STRING);
  EXPECT_EQ(18, ROS_TYPE_MESSAGE);
  EXPECT_EQ(ROS_TYPE_DOUBLE, ROS_TYPE_FLOAT64);
}

TEST(Introspection, a_program_reads_the_fields_of_a_message)
{
  const MessageMember fields[] = {
    field("x", ROS_TYPE_DOUBLE, offsetof(Point, x)), field("number", ROS_TYPE_INT32, offsetof(Point, number))};
  const MessageMembers type = {"some::msg", "Point", 2, sizeof(Point), false, fields, init_point, fini_point};
  alignas(Point) unsigned char memory[sizeof(Point)];
  type.init_function(memory, rosidl_runtime_cpp::MessageInitialization::ALL);
  const void * number = memory + type.members_[1].offset_;
  EXPECT_EQ(2, *static_cast<const int32_t *>(number));
  type.fini_function(memory);
  const ServiceMembers service = {"some::srv", "Get", &type, &type, nullptr};
  EXPECT_STREQ("Point", service.request_members_->message_name_);
}

TEST(Introspection, the_functions_for_the_type_supports_are_declared)
{
  using Message = decltype(get_message_type_support_handle<Point>());
  using Service = decltype(get_service_type_support_handle<Point>());
  EXPECT_TRUE((std::is_same_v<const rosidl_message_type_support_t *, Message>));
  EXPECT_TRUE((std::is_same_v<const rosidl_service_type_support_t *, Service>));
}

}  // namespace
