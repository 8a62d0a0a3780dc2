#include "rcl_yaml_param_parser/parser.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "entries.hpp"
#include "params.hpp"
#include "rcutils/error_handling.h"
#include "saltus/saltus.h"

namespace rcl_yaml_param_parser
{
namespace
{

/// A text of the file that is a value.
using Value = std::shared_ptr<saltus_parameter_result_t>;

/// Reads a value. \throws std::runtime_error if it is not one
Value read_value(const std::string & text)
{
  saltus_parameter_result_t * result = nullptr;
  if (saltus_parameter_from_text(text.c_str(), &result) != SALTUS_OK) {
    throw std::runtime_error(saltus_error_message());
  }
  return Value(result, &saltus_parameter_result_destroy);
}

void set_flags(rcl_variant_t & variant, const saltus_value_t & value, const Memory & memory)
{
  auto * flags = variant.bool_array_value = memory.make<rcl_bool_array_t>();
  flags->values = memory.make<bool>(value.count);
  const auto * elements = static_cast<const uint8_t *>(value.elements);
  for (; flags->size < value.count; ++flags->size) {
    flags->values[flags->size] = elements[flags->size] != 0;
  }
}

template<typename Array>
void set_numbers(Array * & array, const saltus_value_t & value, const Memory & memory)
{
  using Number = std::remove_pointer_t<decltype(array->values)>;
  array = memory.make<Array>();
  array->values = memory.make<Number>(value.count);
  if (value.count > 0) {
    std::memcpy(array->values, value.elements, value.count * sizeof(Number));
  }
  array->size = value.count;
}

void set_strings(rcl_variant_t & variant, const saltus_value_t & value, const rcutils_allocator_t & allocator)
{
  const Memory memory(allocator);
  auto * strings = variant.string_array_value = memory.make<rcutils_string_array_t>();
  strings->allocator = allocator;
  strings->data = memory.make<char *>(value.count);
  const auto * texts = static_cast<const char * const *>(value.elements);
  for (; strings->size < value.count; ++strings->size) {
    strings->data[strings->size] = memory.copy(texts[strings->size]);
  }
}

template<typename T>
void set_one(T * & place, T value, const Memory & memory)
{
  place = memory.make<T>();
  *place = value;
}

/// Replaces a value. \throws std::bad_alloc without memory
void set(rcl_variant_t & variant, const saltus_value_t & value, const rcutils_allocator_t & allocator)
{
  const Memory memory(allocator);
  clear(variant, memory);
  switch (value.type) {
    case SALTUS_PARAMETER_BOOL:
      return set_one(variant.bool_value, value.boolean != 0, memory);
    case SALTUS_PARAMETER_INTEGER:
      return set_one(variant.integer_value, value.integer, memory);
    case SALTUS_PARAMETER_DOUBLE:
      return set_one(variant.double_value, value.real, memory);
    case SALTUS_PARAMETER_STRING:
      variant.string_value = memory.copy(value.text);
      return;
    case SALTUS_PARAMETER_BYTE_ARRAY:
      return set_numbers(variant.byte_array_value, value, memory);
    case SALTUS_PARAMETER_BOOL_ARRAY:
      return set_flags(variant, value, memory);
    case SALTUS_PARAMETER_INTEGER_ARRAY:
      return set_numbers(variant.integer_array_value, value, memory);
    case SALTUS_PARAMETER_DOUBLE_ARRAY:
      return set_numbers(variant.double_array_value, value, memory);
    case SALTUS_PARAMETER_STRING_ARRAY:
      return set_strings(variant, value, allocator);
    default:
      return;
  }
}

/// A parameter of a file.
struct FileParameter
{
  std::string node;
  std::string name;
  Value value;
};

/// Returns where an entry is, from the keys above it and its own. The name is empty outside of `ros__parameters`.
FileParameter place_of(const std::vector<const FileEntry *> & keys)
{
  FileParameter place;
  bool is_parameter = false;
  for (const auto * entry : keys) {
    if (is_parameter) {
      place.name += (place.name.empty() ? "" : ".") + entry->key;
    } else if (entry->key == "ros__parameters") {
      is_parameter = true;
    } else {
      const bool is_joined = place.node.empty() || place.node.back() == '/' || entry->key.front() == '/';
      place.node += (is_joined ? "" : "/") + entry->key;
    }
  }
  return place;
}

/// Reads the parameters of a file. \throws std::runtime_error with the number of the line
std::vector<FileParameter> read_file(const std::string & path)
{
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("can't read the parameter file '" + path + "'");
  }
  const auto entries = read_entries(file, path);
  std::vector<FileParameter> parameters;
  std::vector<const FileEntry *> keys;
  for (size_t index = 0; index < entries.size(); ++index) {
    const auto & entry = entries[index];
    const std::string where = path + ":" + std::to_string(entry.line) + ": ";
    if (entry.key.empty()) {
      throw std::runtime_error(where + "expected a key before the colon");
    }
    while (!keys.empty() && keys.back()->indent >= entry.indent) {
      keys.pop_back();
    }
    keys.push_back(&entry);
    const bool has_more_below = index + 1 < entries.size() && entries[index + 1].indent > entry.indent;
    FileParameter parameter = place_of(keys);
    if (has_more_below || parameter.name.empty()) {
      if (!entry.value.empty()) {
        throw std::runtime_error(
                where + "'" + entry.key + "' has a value outside of ros__parameters, or keys below its value");
      }
      continue;
    }
    if (parameter.node.empty()) {
      throw std::runtime_error(where + "ros__parameters needs the name of a node above it");
    }
    try {
      parameter.value = read_value(entry.value);
    } catch (const std::runtime_error & error) {
      throw std::runtime_error(where + error.what());
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// Runs a function. Returns false if it throws, with the text as the error of the thread.
template<typename Function>
bool succeeds(Function function)
{
  try {
    function();
    return true;
  } catch (const std::bad_alloc &) {
    RCUTILS_SET_ERROR_MSG("no memory for parameters");
  } catch (const std::exception & error) {
    RCUTILS_SET_ERROR_MSG(error.what());
  }
  return false;
}

void print_words(const bool * values, size_t count)
{
  std::printf("[");
  for (size_t index = 0; index < count; ++index) {
    std::printf("%s%s", index == 0 ? "" : ", ", values[index] ? "true" : "false");
  }
  std::printf("]");
}

template<typename Array>
void print_array(const Array & array, const char * format)
{
  std::printf("[");
  for (size_t index = 0; index < array.size; ++index) {
    std::printf("%s", index == 0 ? "" : ", ");
    std::printf(format, array.values[index]);
  }
  std::printf("]");
}

void print_text(const char * text)
{
  std::printf("'");
  for (; *text != 0; ++text) {
    std::printf(*text == '\'' ? "''" : "%c", *text);
  }
  std::printf("'");
}

void print_value(const rcl_variant_t & value)
{
  if (value.bool_value) {
    std::printf("%s", *value.bool_value ? "true" : "false");
  } else if (value.integer_value) {
    std::printf("%lld", static_cast<long long>(*value.integer_value));
  } else if (value.double_value) {
    std::printf("%#.17g", *value.double_value);
  } else if (value.string_value) {
    print_text(value.string_value);
  } else if (value.byte_array_value) {
    print_array(*value.byte_array_value, "%hhu");
  } else if (value.bool_array_value) {
    print_words(value.bool_array_value->values, value.bool_array_value->size);
  } else if (value.integer_array_value) {
    print_array(*value.integer_array_value, "%ld");
  } else if (value.double_array_value) {
    print_array(*value.double_array_value, "%#.17g");
  } else if (value.string_array_value) {
    std::printf("[");
    for (size_t index = 0; index < value.string_array_value->size; ++index) {
      std::printf("%s", index == 0 ? "" : ", ");
      print_text(value.string_array_value->data[index]);
    }
    std::printf("]");
  }
}

}  // namespace
}  // namespace rcl_yaml_param_parser

bool rcl_parse_yaml_file(const char * file_path, rcl_params_t * params_st)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(file_path, false);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(params_st, false);
  using namespace rcl_yaml_param_parser;
  return succeeds([&] {
             for (const auto & parameter : read_file(file_path)) {
               set(
                 value_at(*params_st, parameter.node, parameter.name),
                 *saltus_parameter_result_value(parameter.value.get()), params_st->allocator);
             }
           });
}

bool rcl_parse_yaml_value(
  const char * node_name, const char * param_name, const char * yaml_value, rcl_params_t * params_st)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(node_name, false);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(param_name, false);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(yaml_value, false);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(params_st, false);
  using namespace rcl_yaml_param_parser;
  return succeeds([&] {
             if (*node_name == 0 || *param_name == 0 || *yaml_value == 0) {
               throw std::runtime_error("the node, the parameter and the value need a text");
             }
             const Value value = read_value(yaml_value);
             set(
               value_at(*params_st, node_name, param_name), *saltus_parameter_result_value(value.get()),
               params_st->allocator);
           });
}

void rcl_yaml_node_struct_print(const rcl_params_t * const params_st)
{
  if (params_st == nullptr) {
    return;
  }
  for (size_t node = 0; node < params_st->num_nodes; ++node) {
    std::printf("%s:\n  ros__parameters:\n", params_st->node_names[node]);
    const rcl_node_params_t & of_node = params_st->params[node];
    for (size_t index = 0; index < of_node.num_params; ++index) {
      std::printf("    %s: ", of_node.parameter_names[index]);
      rcl_yaml_param_parser::print_value(of_node.parameter_values[index]);
      std::printf("\n");
    }
  }
}
