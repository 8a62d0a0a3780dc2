// Files of parameters in C.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "rcl_yaml_param_parser/parser.h"
#include "rcutils/error_handling.h"
#include "rcutils/strdup.h"

namespace
{

/// A file that is removed at the end.
struct File
{
  const std::string path = "/tmp/rcl_yaml_param_parser_" + std::to_string(getpid()) + ".yaml";

  explicit File(const std::string & content) {std::ofstream(path) << content;}
  ~File() {std::remove(path.c_str());}
};

using Params = std::unique_ptr<rcl_params_t, decltype(&rcl_yaml_node_struct_fini)>;

Params params_of(const rcutils_allocator_t & allocator = rcutils_get_default_allocator())
{
  return Params(rcl_yaml_node_struct_init(allocator), &rcl_yaml_node_struct_fini);
}

/// An allocator that fails after some calls. Its state is the number of calls that are left.
rcutils_allocator_t failing(size_t & left)
{
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  allocator.state = &left;
  allocator.zero_allocate = [](size_t count, size_t size, void * state) -> void * {
      size_t & calls = *static_cast<size_t *>(state);
      return calls == 0 ? nullptr : (--calls, std::calloc(count, size));
    };
  return allocator;
}

const char * const ALL_TYPES =
  "/a:\n  ros__parameters:\n    flag: true\n    number: -1\n    real: 1.5\n    text: it's\n    flags: [true, false]\n"
  "    numbers: [1, 2]\n    reals: [1.5]\n    texts: ['x', 'y']\nb:\n  ros__parameters:\n    deep:\n      one: 1\n";

TEST(Parser, reads_values_of_all_types)
{
  const File file(ALL_TYPES);
  const Params params = params_of();
  ASSERT_TRUE(rcl_parse_yaml_file(file.path.c_str(), params.get())) << rcutils_get_error_string().str;
  ASSERT_EQ(params->num_nodes, 2u);
  EXPECT_STREQ(params->node_names[1], "b") << "as it is written";
  EXPECT_STREQ(params->params[1].parameter_names[0], "deep.one");
  const auto value = [&](const char * name) {return rcl_yaml_node_struct_get("/a", name, params.get());};
  EXPECT_TRUE(*value("flag")->bool_value);
  EXPECT_EQ(*value("number")->integer_value, -1);
  EXPECT_EQ(*value("real")->double_value, 1.5);
  EXPECT_STREQ(value("text")->string_value, "it's");
  EXPECT_TRUE(value("flags")->bool_array_value->values[0]);
  EXPECT_FALSE(value("flags")->bool_array_value->values[1]);
  EXPECT_EQ(value("numbers")->integer_array_value->values[1], 2);
  EXPECT_EQ(value("reals")->double_array_value->size, 1u);
  EXPECT_STREQ(value("texts")->string_array_value->data[1], "y");
  EXPECT_EQ(params->params[0].num_params, 8u) << "rcl_yaml_node_struct_get() adds only what is not there";
}

TEST(Parser, a_later_value_replaces_the_first_also_with_another_type)
{
  const Params params = params_of();
  ASSERT_TRUE(rcl_parse_yaml_value("/a", "x", "[a, b]", params.get()));
  ASSERT_TRUE(rcl_parse_yaml_value("/a", "x", "2", params.get()));
  const rcl_variant_t * value = rcl_yaml_node_struct_get("/a", "x", params.get());
  EXPECT_EQ(value->string_array_value, nullptr);
  EXPECT_EQ(*value->integer_value, 2);
}

TEST(Parser, more_nodes_and_parameters_than_memory_at_first)
{
  const Params params = params_of();
  for (int number = 0; number < 300; ++number) {
    const std::string name = std::to_string(number);
    ASSERT_TRUE(rcl_parse_yaml_value(("/n" + name).c_str(), "x", name.c_str(), params.get()));
    ASSERT_TRUE(rcl_parse_yaml_value("/n0", ("p" + name).c_str(), name.c_str(), params.get()));
  }
  EXPECT_EQ(params->num_nodes, 300u);
  EXPECT_EQ(*rcl_yaml_node_struct_get("/n299", "x", params.get())->integer_value, 299);
  EXPECT_EQ(*rcl_yaml_node_struct_get("/n0", "p299", params.get())->integer_value, 299);
  EXPECT_EQ(rcl_yaml_node_struct_reallocate(params.get(), 10, params->allocator), RCUTILS_RET_INVALID_ARGUMENT);
  rcutils_reset_error();
  EXPECT_EQ(rcl_yaml_node_struct_reallocate(params.get(), 300, params->allocator), RCUTILS_RET_OK);
}

TEST(Parser, a_fault_has_its_line_and_adds_nothing)
{
  const Params params = params_of();
  for (const char * text : {
      "a:\n  ros__parameters:\n    x: 1\n    text\n", "a:\n  ros__parameters:\n    x: 1\n    y: [1, x, 2.5]\n",
      "ros__parameters:\n\n\n  x: 1\n", "a:\n  ros__parameters:\n    x: 1\n    : 1\n", "a:\n  ros__parameters:\n    x: 1\n  y: 2\n"})
  {
    const File file(text);
    EXPECT_FALSE(rcl_parse_yaml_file(file.path.c_str(), params.get()));
    EXPECT_NE(std::string(rcutils_get_error_string().str).find(":4: "), std::string::npos)
      << rcutils_get_error_string().str;
    rcutils_reset_error();
    EXPECT_EQ(params->num_nodes, 0u);
  }
  EXPECT_FALSE(rcl_parse_yaml_file("/does/not/exist", params.get()));
  rcutils_reset_error();
  EXPECT_FALSE(rcl_parse_yaml_file(nullptr, params.get()));
  rcutils_reset_error();
  EXPECT_FALSE(rcl_parse_yaml_value("/a", "x", "{y: 1}", params.get()));
  rcutils_reset_error();
}

TEST(Parser, a_copy_is_independent_and_prints_what_can_be_read)
{
  const File file(ALL_TYPES);
  Params params = params_of();
  ASSERT_TRUE(rcl_parse_yaml_file(file.path.c_str(), params.get()));
  const Params copy(rcl_yaml_node_struct_copy(params.get()), &rcl_yaml_node_struct_fini);
  params.reset();
  testing::internal::CaptureStdout();
  rcl_yaml_node_struct_print(copy.get());
  const std::string printed = testing::internal::GetCapturedStdout();
  const File again(printed);
  const Params read = params_of();
  ASSERT_TRUE(rcl_parse_yaml_file(again.path.c_str(), read.get())) << printed;
  EXPECT_STREQ(rcl_yaml_node_struct_get("/a", "text", read.get())->string_value, "it's");
  EXPECT_EQ(rcl_yaml_node_struct_get("/a", "reals", read.get())->double_array_value->values[0], 1.5);
  testing::internal::CaptureStdout();
  rcl_yaml_node_struct_print(read.get());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), printed);
}

TEST(Parser, keys_above_are_joined)
{
  const File file("/:\n  a:\n    ros__parameters: {}\n");
  const Params refused = params_of();
  EXPECT_FALSE(rcl_parse_yaml_file(file.path.c_str(), refused.get())) << "a mapping in flow style";
  rcutils_reset_error();
  const File joined("/:\n  a:\n    ros__parameters:\n      x: 1\nns/b:\n  c:\n    ros__parameters:\n      x: 1\n");
  const Params params = params_of();
  ASSERT_TRUE(rcl_parse_yaml_file(joined.path.c_str(), params.get())) << rcutils_get_error_string().str;
  EXPECT_STREQ(params->node_names[0], "/a");
  EXPECT_STREQ(params->node_names[1], "ns/b/c");
}

TEST(Parser, a_copy_has_nodes_without_parameters_and_needs_names)
{
  Params params = params_of();
  params->node_names[0] = rcutils_strdup("/a", params->allocator);
  params->num_nodes = 1;
  const Params copy(rcl_yaml_node_struct_copy(params.get()), &rcl_yaml_node_struct_fini);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->num_nodes, 1u);
  params->num_nodes = 2;
  EXPECT_EQ(rcl_yaml_node_struct_copy(params.get()), nullptr) << "the second name is NULL";
  rcutils_reset_error();
}

TEST(Parser, each_failed_allocation_is_an_error)
{
  const File file(ALL_TYPES);
  size_t needed = 0;
  for (bool is_done = false; !is_done; ++needed) {
    size_t left = needed;
    const Params params = params_of(failing(left));
    const Params copy(
      params && rcl_parse_yaml_file(file.path.c_str(), params.get()) ? rcl_yaml_node_struct_copy(params.get()) : nullptr,
      &rcl_yaml_node_struct_fini);
    is_done = copy != nullptr;
    EXPECT_NE(is_done, rcutils_error_is_set());
    rcutils_reset_error();
  }
  EXPECT_GT(needed, 40u);
}

}  // namespace
