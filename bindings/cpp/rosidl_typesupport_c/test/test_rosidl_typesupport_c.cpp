#include <gtest/gtest.h>

#include "rosidl_typesupport_c/identifier.h"
#include "rosidl_typesupport_c/type_support_map.h"
#include "rosidl_typesupport_c/visibility_control.h"

namespace
{

TEST(RosidlTypesupportC, the_name_of_the_kind)
{
  EXPECT_STREQ("rosidl_typesupport_c", rosidl_typesupport_c__typesupport_identifier);
}

TEST(RosidlTypesupportC, generated_code_fills_the_map)
{
  const char * const kinds[] = {"one", "two"};
  const char * const symbols[] = {"get_one", "get_two"};
  void * libraries[] = {nullptr, nullptr};
  const type_support_map_t map = {2, "some_msgs", kinds, symbols, libraries};
  EXPECT_EQ(2u, map.size);
  EXPECT_STREQ("some_msgs", map.package_name);
  EXPECT_STREQ("two", map.typesupport_identifier[1]);
  EXPECT_STREQ("get_two", map.symbol_name[1]);
  EXPECT_EQ(nullptr, map.data[1]);
}

}  // namespace
