#include <cstring>
#include <string_view>

#include "rcl/error_handling.h"
#include "rcl/validate_enclave_name.h"
#include "rcl/validate_topic_name.h"
#include "rcutils/isalnum_no_locale.h"

namespace
{

/// What is wrong with a name, and where.
struct Fault
{
  int code;
  size_t index;
};

constexpr Fault NONE = {RCL_TOPIC_NAME_VALID, 0};

bool is_digit(char character) {return character >= '0' && character <= '9';}

bool is_word_character(char character) {return character == '_' || rcutils_isalnum_no_locale(character);}

/// Checks the characters of a name from the first to the last.
class Characters
{
public:
  /// Returns what is wrong with the next character.
  Fault check(char character, size_t index)
  {
    if (character == '~') {
      return index == 0 ? NONE : Fault{RCL_TOPIC_NAME_INVALID_MISPLACED_TILDE, index};
    }
    return is_inside() ? check_inside(character, index) : check_outside(character, index);
  }

  /// Returns what is wrong at the end of the name.
  Fault check_end() const
  {
    return is_inside() ? Fault{RCL_TOPIC_NAME_INVALID_UNMATCHED_CURLY_BRACE, brace_} : NONE;
  }

private:
  bool is_inside() const {return brace_ != std::string_view::npos;}

  Fault check_inside(char character, size_t index)
  {
    if (character == '}') {
      brace_ = std::string_view::npos;
      return NONE;
    }
    if (!is_word_character(character)) {
      return {RCL_TOPIC_NAME_INVALID_SUBSTITUTION_CONTAINS_UNALLOWED_CHARACTERS, index};
    }
    if (is_digit(character) && index == brace_ + 1) {
      return {RCL_TOPIC_NAME_INVALID_SUBSTITUTION_STARTS_WITH_NUMBER, index};
    }
    return NONE;
  }

  Fault check_outside(char character, size_t index)
  {
    if (character == '{') {
      brace_ = index;
      return NONE;
    }
    if (character == '}') {
      return {RCL_TOPIC_NAME_INVALID_UNMATCHED_CURLY_BRACE, index};
    }
    if (character != '/' && !is_word_character(character)) {
      return {RCL_TOPIC_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS, index};
    }
    return NONE;
  }

  /// The place of the brace that is open, or npos.
  size_t brace_ = std::string_view::npos;
};

Fault check_characters(std::string_view name)
{
  Characters characters;
  for (size_t index = 0; index < name.size(); ++index) {
    const Fault fault = characters.check(name[index], index);
    if (fault.code != NONE.code) {
      return fault;
    }
  }
  return characters.check_end();
}

Fault check_tokens(std::string_view name)
{
  if (name.size() > 1 && name[0] == '~' && name[1] != '/') {
    return {RCL_TOPIC_NAME_INVALID_TILDE_NOT_FOLLOWED_BY_FORWARD_SLASH, 1};
  }
  for (size_t index = 1; index < name.size(); ++index) {
    if (name[index - 1] == '/' && is_digit(name[index])) {
      return {RCL_TOPIC_NAME_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, index};
    }
  }
  return NONE;
}

Fault check(std::string_view name)
{
  if (name.empty()) {
    return {RCL_TOPIC_NAME_INVALID_IS_EMPTY_STRING, 0};
  }
  if (is_digit(name.front())) {
    return {RCL_TOPIC_NAME_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER, 0};
  }
  if (name.back() == '/') {
    return {RCL_TOPIC_NAME_INVALID_ENDS_WITH_FORWARD_SLASH, name.size() - 1};
  }
  const Fault fault = check_characters(name);
  return fault.code != NONE.code ? fault : check_tokens(name);
}

}  // namespace

rcl_ret_t rcl_validate_topic_name(const char * topic_name, int * validation_result, size_t * invalid_index)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(topic_name, RCL_RET_INVALID_ARGUMENT);
  return rcl_validate_topic_name_with_size(topic_name, std::strlen(topic_name), validation_result, invalid_index);
}

rcl_ret_t rcl_validate_topic_name_with_size(
  const char * topic_name, size_t topic_name_length, int * validation_result, size_t * invalid_index)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(topic_name, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(validation_result, RCL_RET_INVALID_ARGUMENT);
  const Fault fault = check(std::string_view(topic_name, topic_name_length));
  *validation_result = fault.code;
  if (fault.code != NONE.code && invalid_index) {
    *invalid_index = fault.index;
  }
  return RCL_RET_OK;
}

const char * rcl_topic_name_validation_result_string(int validation_result)
{
  switch (validation_result) {
    case RCL_TOPIC_NAME_VALID: return nullptr;
    case RCL_TOPIC_NAME_INVALID_IS_EMPTY_STRING: return "it is empty";
    case RCL_TOPIC_NAME_INVALID_ENDS_WITH_FORWARD_SLASH: return "it ends with '/'";
    case RCL_TOPIC_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS:
      return "it contains a character that is no letter, no digit and none of '_', '/', '~', '{' and '}'";
    case RCL_TOPIC_NAME_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER: return "a digit comes first or follows '/'";
    case RCL_TOPIC_NAME_INVALID_UNMATCHED_CURLY_BRACE: return "a brace has no partner";
    case RCL_TOPIC_NAME_INVALID_MISPLACED_TILDE: return "'~' is not the first character";
    case RCL_TOPIC_NAME_INVALID_TILDE_NOT_FOLLOWED_BY_FORWARD_SLASH: return "'~' is not followed by '/'";
    case RCL_TOPIC_NAME_INVALID_SUBSTITUTION_CONTAINS_UNALLOWED_CHARACTERS:
      return "between braces is a character that is no letter, no digit and no '_'";
    case RCL_TOPIC_NAME_INVALID_SUBSTITUTION_STARTS_WITH_NUMBER: return "a digit follows '{'";
    default: return "unknown result of the validation";
  }
}

rcl_ret_t rcl_validate_enclave_name(const char * enclave, int * validation_result, size_t * invalid_index)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(enclave, RCL_RET_INVALID_ARGUMENT);
  return rcl_validate_enclave_name_with_size(enclave, std::strlen(enclave), validation_result, invalid_index);
}

rcl_ret_t rcl_validate_enclave_name_with_size(
  const char * enclave, size_t enclave_length, int * validation_result, size_t * invalid_index)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(enclave, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(validation_result, RCL_RET_INVALID_ARGUMENT);
  int result;
  size_t index = 0;
  const rmw_ret_t ret = rmw_validate_namespace_with_size(enclave, enclave_length, &result, &index);
  if (ret != RMW_RET_OK) {
    return ret;
  }
  if (result == RMW_NAMESPACE_INVALID_TOO_LONG) {
    result = enclave_length > RCL_ENCLAVE_NAME_MAX_LENGTH ? RCL_ENCLAVE_NAME_INVALID_TOO_LONG : RCL_ENCLAVE_NAME_VALID;
    index = RCL_ENCLAVE_NAME_MAX_LENGTH - 1;
  }
  *validation_result = result;
  if (result != RCL_ENCLAVE_NAME_VALID && invalid_index) {
    *invalid_index = index;
  }
  return RCL_RET_OK;
}

const char * rcl_enclave_name_validation_result_string(int validation_result)
{
  return rmw_namespace_validation_result_string(validation_result);
}
