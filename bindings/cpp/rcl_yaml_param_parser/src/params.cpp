#include "params.hpp"

#include <algorithm>

#include "rcl_yaml_param_parser/parser.h"
#include "rcutils/error_handling.h"

namespace rcl_yaml_param_parser
{
namespace
{

/// How many nodes there is memory for at first. Programs that fill parameters themselves rely on some.
constexpr size_t FIRST_NODES = 128;

template<typename Array>
void clear_array(Array * & array, const Memory & memory)
{
  if (array != nullptr) {
    memory.free(array->values);
    memory.free(array);
    array = nullptr;
  }
}

template<typename T>
void clear_one(T * & value, const Memory & memory)
{
  memory.free(value);
  value = nullptr;
}

template<typename T>
void copy_one(const T * from, T * & to, const Memory & memory)
{
  if (from != nullptr) {
    to = memory.make<T>();
    *to = *from;
  }
}

template<typename Array>
void copy_array(const Array * from, Array * & to, const Memory & memory)
{
  if (from != nullptr) {
    to = memory.make<Array>();
    to->values = memory.make<std::remove_pointer_t<decltype(to->values)>>(from->size);
    std::copy(from->values, from->values + from->size, to->values);
    to->size = from->size;
  }
}

void copy_strings(const rcutils_string_array_t * from, rcutils_string_array_t * & to, const Memory & memory)
{
  if (from != nullptr) {
    to = memory.make<rcutils_string_array_t>();
    to->allocator = from->allocator;
    to->data = memory.make<char *>(from->size);
    for (; to->size < from->size; ++to->size) {
      to->data[to->size] = memory.copy(from->data[to->size]);
    }
  }
}

void clear_strings(rcutils_string_array_t * & strings, const Memory & memory)
{
  if (strings != nullptr) {
    for (size_t index = 0; index < strings->size; ++index) {
      memory.free(strings->data[index]);
    }
    memory.free(strings->data);
    memory.free(strings);
    strings = nullptr;
  }
}

bool is(const char * text, const std::string & name) {return text != nullptr && text == name;}

rcl_node_params_t & node_at(rcl_params_t & params, const std::string & name, const Memory & memory)
{
  for (size_t index = 0; index < params.num_nodes; ++index) {
    if (is(params.node_names[index], name)) {
      return params.params[index];
    }
  }
  if (params.num_nodes == params.capacity_nodes) {
    const size_t capacity = params.capacity_nodes * 2 + 1;
    memory.grow(params.node_names, params.num_nodes, capacity);
    memory.grow(params.params, params.num_nodes, capacity);
    params.capacity_nodes = capacity;
  }
  params.params[params.num_nodes] = {};
  params.node_names[params.num_nodes] = memory.copy(name);
  return params.params[params.num_nodes++];
}

void clear_node(rcl_node_params_t & node, const Memory & memory)
{
  for (size_t index = 0; index < node.num_params; ++index) {
    if (node.parameter_names != nullptr) {
      memory.free(node.parameter_names[index]);
    }
    if (node.parameter_values != nullptr) {
      clear(node.parameter_values[index], memory);
    }
  }
  memory.free(node.parameter_names);
  memory.free(node.parameter_values);
  node = {};
}

}  // namespace

void clear(rcl_variant_t & value, const Memory & memory)
{
  clear_one(value.bool_value, memory);
  clear_one(value.integer_value, memory);
  clear_one(value.double_value, memory);
  clear_one(value.string_value, memory);
  clear_array(value.byte_array_value, memory);
  clear_array(value.bool_array_value, memory);
  clear_array(value.integer_array_value, memory);
  clear_array(value.double_array_value, memory);
  clear_strings(value.string_array_value, memory);
}

void copy_value(const rcl_variant_t & from, rcl_variant_t & to, const Memory & memory)
{
  copy_one(from.bool_value, to.bool_value, memory);
  copy_one(from.integer_value, to.integer_value, memory);
  copy_one(from.double_value, to.double_value, memory);
  if (from.string_value != nullptr) {
    to.string_value = memory.copy(from.string_value);
  }
  copy_array(from.byte_array_value, to.byte_array_value, memory);
  copy_array(from.bool_array_value, to.bool_array_value, memory);
  copy_array(from.integer_array_value, to.integer_array_value, memory);
  copy_array(from.double_array_value, to.double_array_value, memory);
  copy_strings(from.string_array_value, to.string_array_value, memory);
}

rcl_variant_t & value_at(rcl_params_t & params, const std::string & node, const std::string & parameter)
{
  const Memory memory(params.allocator);
  rcl_node_params_t & of_node = node_at(params, node, memory);
  for (size_t index = 0; index < of_node.num_params; ++index) {
    if (is(of_node.parameter_names[index], parameter)) {
      return of_node.parameter_values[index];
    }
  }
  // A program that filled the parameters itself has memory for just as many as there are.
  if (of_node.num_params >= of_node.capacity_params) {
    const size_t capacity = of_node.num_params * 2 + 8;
    memory.grow(of_node.parameter_names, of_node.num_params, capacity);
    memory.grow(of_node.parameter_values, of_node.num_params, capacity);
    of_node.capacity_params = capacity;
  }
  of_node.parameter_values[of_node.num_params] = {};
  of_node.parameter_names[of_node.num_params] = memory.copy(parameter);
  return of_node.parameter_values[of_node.num_params++];
}

}  // namespace rcl_yaml_param_parser

using rcl_yaml_param_parser::Memory;

rcl_params_t * rcl_yaml_node_struct_init(const rcutils_allocator_t allocator)
{
  return rcl_yaml_node_struct_init_with_capacity(rcl_yaml_param_parser::FIRST_NODES, allocator);
}

rcl_params_t * rcl_yaml_node_struct_init_with_capacity(size_t capacity, const rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return nullptr);
  if (capacity == 0) {
    RCUTILS_SET_ERROR_MSG("capacity can't be zero");
    return nullptr;
  }
  const Memory memory(allocator);
  rcl_params_t * params = nullptr;
  try {
    params = memory.make<rcl_params_t>();
    params->allocator = allocator;
    params->node_names = memory.make<char *>(capacity);
    params->params = memory.make<rcl_node_params_t>(capacity);
    params->capacity_nodes = capacity;
    return params;
  } catch (const std::bad_alloc &) {
    rcl_yaml_node_struct_fini(params);
    RCUTILS_SET_ERROR_MSG("no memory for parameters");
    return nullptr;
  }
}

rcutils_ret_t rcl_yaml_node_struct_reallocate(
  rcl_params_t * params_st, size_t new_capacity, const rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(params_st, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  if (new_capacity < params_st->num_nodes) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING(
      "new capacity '%zu' must be greater than or equal to '%zu'", new_capacity, params_st->num_nodes);
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  const Memory memory(allocator);
  try {
    memory.grow(params_st->node_names, params_st->num_nodes, new_capacity);
    memory.grow(params_st->params, params_st->num_nodes, new_capacity);
  } catch (const std::bad_alloc &) {
    RCUTILS_SET_ERROR_MSG("no memory for parameters");
    return RCUTILS_RET_BAD_ALLOC;
  }
  params_st->capacity_nodes = new_capacity;
  return RCUTILS_RET_OK;
}

rcl_params_t * rcl_yaml_node_struct_copy(const rcl_params_t * params_st)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(params_st, nullptr);
  const size_t capacity = std::max<size_t>(params_st->capacity_nodes, 1);
  rcl_params_t * copy = rcl_yaml_node_struct_init_with_capacity(capacity, params_st->allocator);
  if (copy == nullptr) {
    return nullptr;
  }
  const Memory memory(params_st->allocator);
  try {
    for (size_t node = 0; node < params_st->num_nodes; ++node) {
      const rcl_node_params_t & from = params_st->params[node];
      rcl_yaml_param_parser::node_at(*copy, params_st->node_names[node], memory);
      for (size_t index = 0; index < from.num_params; ++index) {
        rcl_variant_t & to =
          rcl_yaml_param_parser::value_at(*copy, params_st->node_names[node], from.parameter_names[index]);
        rcl_yaml_param_parser::copy_value(from.parameter_values[index], to, memory);
      }
    }
    return copy;
  } catch (const std::bad_alloc &) {
    rcl_yaml_node_struct_fini(copy);
    RCUTILS_SET_ERROR_MSG("no memory for parameters");
    return nullptr;
  } catch (const std::exception & error) {
    // A name that is NULL.
    rcl_yaml_node_struct_fini(copy);
    RCUTILS_SET_ERROR_MSG(error.what());
    return nullptr;
  }
}

void rcl_yaml_node_struct_fini(rcl_params_t * params_st)
{
  if (params_st == nullptr) {
    return;
  }
  const Memory memory(params_st->allocator);
  for (size_t node = 0; node < params_st->num_nodes; ++node) {
    if (params_st->node_names != nullptr) {
      memory.free(params_st->node_names[node]);
    }
    if (params_st->params != nullptr) {
      rcl_yaml_param_parser::clear_node(params_st->params[node], memory);
    }
  }
  memory.free(params_st->node_names);
  memory.free(params_st->params);
  memory.free(params_st);
}

rcl_variant_t * rcl_yaml_node_struct_get(const char * node_name, const char * param_name, rcl_params_t * params_st)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(node_name, nullptr);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(param_name, nullptr);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(params_st, nullptr);
  try {
    return &rcl_yaml_param_parser::value_at(*params_st, node_name, param_name);
  } catch (const std::bad_alloc &) {
    RCUTILS_SET_ERROR_MSG("no memory for a parameter");
    return nullptr;
  }
}
