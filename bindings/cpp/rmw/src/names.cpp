#include <cstring>
#include <string_view>

#include "rcutils/isalnum_no_locale.h"
#include "rmw/error_handling.h"
#include "rmw/validate_full_topic_name.h"
#include "rmw/validate_namespace.h"
#include "rmw/validate_node_name.h"

namespace
{

/// What is wrong with a name, and where.
struct Fault
{
  int code;
  size_t index;
};

constexpr Fault NONE = {0, 0};

bool is_digit(char character) {return character >= '0' && character <= '9';}

bool is_word_character(char character) {return character == '_' || rcutils_isalnum_no_locale(character);}

Fault check_node_name(std::string_view name)
{
  if (name.empty()) {
    return {RMW_NODE_NAME_INVALID_IS_EMPTY_STRING, 0};
  }
  for (size_t index = 0; index < name.size(); ++index) {
    if (!is_word_character(name[index])) {
      return {RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, index};
    }
  }
  if (is_digit(name[0])) {
    return {RMW_NODE_NAME_INVALID_STARTS_WITH_NUMBER, 0};
  }
  if (name.size() > RMW_NODE_NAME_MAX_NAME_LENGTH) {
    return {RMW_NODE_NAME_INVALID_TOO_LONG, RMW_NODE_NAME_MAX_NAME_LENGTH - 1};
  }
  return NONE;
}

Fault check_characters(std::string_view name)
{
  for (size_t index = 0; index < name.size(); ++index) {
    if (name[index] != '/' && !is_word_character(name[index])) {
      return {RMW_TOPIC_INVALID_CONTAINS_UNALLOWED_CHARACTERS, index};
    }
  }
  return NONE;
}

Fault check_tokens(std::string_view name)
{
  for (size_t index = 1; index < name.size(); ++index) {
    if (name[index - 1] == '/' && name[index] == '/') {
      return {RMW_TOPIC_INVALID_CONTAINS_REPEATED_FORWARD_SLASH, index};
    }
    if (name[index - 1] == '/' && is_digit(name[index])) {
      return {RMW_TOPIC_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, index};
    }
  }
  return NONE;
}

Fault check_topic_name(std::string_view name, size_t max_length)
{
  if (name.empty()) {
    return {RMW_TOPIC_INVALID_IS_EMPTY_STRING, 0};
  }
  if (name.front() != '/') {
    return {RMW_TOPIC_INVALID_NOT_ABSOLUTE, 0};
  }
  if (name.back() == '/') {
    return {RMW_TOPIC_INVALID_ENDS_WITH_FORWARD_SLASH, name.size() - 1};
  }
  for (const auto check : {check_characters, check_tokens}) {
    const Fault fault = check(name);
    if (fault.code != RMW_TOPIC_VALID) {
      return fault;
    }
  }
  return name.size() > max_length ? Fault{RMW_TOPIC_INVALID_TOO_LONG, max_length - 1} : NONE;
}

Fault check_full_topic_name(std::string_view name) {return check_topic_name(name, RMW_TOPIC_MAX_NAME_LENGTH);}

// The codes of topics and namespaces are the same.
Fault check_namespace(std::string_view name)
{
  return name == "/" ? NONE : check_topic_name(name, RMW_NAMESPACE_MAX_LENGTH);
}

static_assert(RMW_NAMESPACE_INVALID_TOO_LONG == RMW_TOPIC_INVALID_TOO_LONG);

rmw_ret_t validate(
  Fault (* check)(std::string_view), const char * name, size_t length, int * validation_result,
  size_t * invalid_index)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(validation_result, RMW_RET_INVALID_ARGUMENT);
  const Fault fault = check(std::string_view(name, length));
  *validation_result = fault.code;
  if (fault.code != NONE.code && invalid_index) {
    *invalid_index = fault.index;
  }
  return RMW_RET_OK;
}

const char * topic_text(int validation_result)
{
  switch (validation_result) {
    case RMW_TOPIC_VALID: return nullptr;
    case RMW_TOPIC_INVALID_IS_EMPTY_STRING: return "it is empty";
    case RMW_TOPIC_INVALID_NOT_ABSOLUTE: return "it does not start with '/'";
    case RMW_TOPIC_INVALID_ENDS_WITH_FORWARD_SLASH: return "it ends with '/'";
    case RMW_TOPIC_INVALID_CONTAINS_UNALLOWED_CHARACTERS:
      return "it contains a character that is no letter, no digit, no '_' and no '/'";
    case RMW_TOPIC_INVALID_CONTAINS_REPEATED_FORWARD_SLASH: return "it contains '//'";
    case RMW_TOPIC_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER: return "a digit follows '/'";
    case RMW_TOPIC_INVALID_TOO_LONG: return "it is too long";
    default: return "unknown result of the validation";
  }
}

}  // namespace

rmw_ret_t rmw_validate_node_name(const char * node_name, int * validation_result, size_t * invalid_index)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(node_name, RMW_RET_INVALID_ARGUMENT);
  return rmw_validate_node_name_with_size(node_name, std::strlen(node_name), validation_result, invalid_index);
}

rmw_ret_t rmw_validate_node_name_with_size(
  const char * node_name, size_t node_name_length, int * validation_result, size_t * invalid_index)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(node_name, RMW_RET_INVALID_ARGUMENT);
  return validate(check_node_name, node_name, node_name_length, validation_result, invalid_index);
}

const char * rmw_node_name_validation_result_string(int validation_result)
{
  switch (validation_result) {
    case RMW_NODE_NAME_VALID: return nullptr;
    case RMW_NODE_NAME_INVALID_IS_EMPTY_STRING: return "it is empty";
    case RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS:
      return "it contains a character that is no letter, no digit and no '_'";
    case RMW_NODE_NAME_INVALID_STARTS_WITH_NUMBER: return "it starts with a digit";
    case RMW_NODE_NAME_INVALID_TOO_LONG: return "it is too long";
    default: return "unknown result of the validation";
  }
}

rmw_ret_t rmw_validate_namespace(const char * namespace_, int * validation_result, size_t * invalid_index)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(namespace_, RMW_RET_INVALID_ARGUMENT);
  return rmw_validate_namespace_with_size(namespace_, std::strlen(namespace_), validation_result, invalid_index);
}

rmw_ret_t rmw_validate_namespace_with_size(
  const char * namespace_, size_t namespace_length, int * validation_result, size_t * invalid_index)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(namespace_, RMW_RET_INVALID_ARGUMENT);
  return validate(check_namespace, namespace_, namespace_length, validation_result, invalid_index);
}

const char * rmw_namespace_validation_result_string(int validation_result) {return topic_text(validation_result);}

rmw_ret_t rmw_validate_full_topic_name(const char * topic_name, int * validation_result, size_t * invalid_index)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_name, RMW_RET_INVALID_ARGUMENT);
  return rmw_validate_full_topic_name_with_size(
    topic_name, std::strlen(topic_name), validation_result, invalid_index);
}

rmw_ret_t rmw_validate_full_topic_name_with_size(
  const char * topic_name, size_t topic_name_length, int * validation_result, size_t * invalid_index)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_name, RMW_RET_INVALID_ARGUMENT);
  return validate(check_full_topic_name, topic_name, topic_name_length, validation_result, invalid_index);
}

const char * rmw_full_topic_name_validation_result_string(int validation_result)
{
  return topic_text(validation_result);
}
