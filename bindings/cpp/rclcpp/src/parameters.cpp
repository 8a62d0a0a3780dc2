#include "parameters.hpp"

namespace rclcpp::detail
{

SaltusValue::SaltusValue(const ParameterValue & value)
: message_(value.to_value_msg())
{
  value_.struct_size = sizeof value_;
  value_.type = message_.type;
  value_.boolean = message_.bool_value;
  value_.integer = message_.integer_value;
  value_.real = message_.double_value;
  value_.text = message_.string_value.c_str();
  set_elements();
}

void SaltusValue::set_elements()
{
  const auto array = [this](const void * elements, size_t count) {
      value_.elements = elements;
      value_.count = count;
    };
  switch (message_.type) {
    case PARAMETER_BYTE_ARRAY:
      return array(message_.byte_array_value.data(), message_.byte_array_value.size());
    case PARAMETER_BOOL_ARRAY:
      flags_.assign(message_.bool_array_value.begin(), message_.bool_array_value.end());
      return array(flags_.data(), flags_.size());
    case PARAMETER_INTEGER_ARRAY:
      return array(message_.integer_array_value.data(), message_.integer_array_value.size());
    case PARAMETER_DOUBLE_ARRAY:
      return array(message_.double_array_value.data(), message_.double_array_value.size());
    case PARAMETER_STRING_ARRAY:
      for (const std::string & text : message_.string_array_value) {
        texts_.push_back(text.c_str());
      }
      return array(texts_.data(), texts_.size());
    default:
      return;
  }
}

ParameterList::ParameterList(const std::vector<Parameter> & parameters)
: parameters_(parameters)
{
  for (const Parameter & parameter : parameters_) {
    const SaltusValue & value = values_.emplace_back(parameter.get_parameter_value());
    items_.push_back({parameter.get_name().c_str(), value.get()});
  }
}

namespace
{

template<typename T>
std::vector<T> elements_of(const saltus_value_t & value)
{
  const T * first = static_cast<const T *>(value.elements);
  return value.count == 0 ? std::vector<T>() : std::vector<T>(first, first + value.count);
}

}  // namespace

ParameterValue value_of(const saltus_value_t & value)
{
  switch (value.type) {
    case SALTUS_PARAMETER_BOOL:
      return ParameterValue(value.boolean != 0);
    case SALTUS_PARAMETER_INTEGER:
      return ParameterValue(value.integer);
    case SALTUS_PARAMETER_DOUBLE:
      return ParameterValue(value.real);
    case SALTUS_PARAMETER_STRING:
      return ParameterValue(std::string(value.text));
    case SALTUS_PARAMETER_BYTE_ARRAY:
      return ParameterValue(elements_of<uint8_t>(value));
    case SALTUS_PARAMETER_BOOL_ARRAY: {
        const auto flags = elements_of<uint8_t>(value);
        return ParameterValue(std::vector<bool>(flags.begin(), flags.end()));
      }
    case SALTUS_PARAMETER_INTEGER_ARRAY:
      return ParameterValue(elements_of<int64_t>(value));
    case SALTUS_PARAMETER_DOUBLE_ARRAY:
      return ParameterValue(elements_of<double>(value));
    case SALTUS_PARAMETER_STRING_ARRAY: {
        const auto texts = elements_of<const char *>(value);
        return ParameterValue(std::vector<std::string>(texts.begin(), texts.end()));
      }
    default:
      return ParameterValue();
  }
}

std::vector<Parameter> parameters_of(const saltus_parameter_t * first, size_t count)
{
  std::vector<Parameter> parameters;
  for (size_t index = 0; index < count; ++index) {
    parameters.emplace_back(std::string(first[index].name), value_of(*first[index].value));
  }
  return parameters;
}

void check_parameter(saltus_status_t status, const std::string & name, const std::string & what)
{
  const std::string text = last_error();
  switch (status) {
    case SALTUS_OK:
      return;
    case SALTUS_PARAMETER_NOT_DECLARED:
      throw exceptions::ParameterNotDeclaredException(text);
    case SALTUS_PARAMETER_ALREADY_DECLARED:
      throw exceptions::ParameterAlreadyDeclaredException(text);
    case SALTUS_PARAMETER_NOT_INITIALIZED:
      throw exceptions::ParameterUninitializedException(name);
    case SALTUS_PARAMETER_TYPE:
      throw exceptions::InvalidParameterTypeException(name, text);
    case SALTUS_PARAMETER_READ_ONLY:
      throw exceptions::ParameterImmutableException(text);
    case SALTUS_PARAMETER_NAME:
      throw exceptions::InvalidParametersException(text);
    case SALTUS_PARAMETER_VALUE:
    case SALTUS_PARAMETER_REJECTED:
      throw exceptions::InvalidParameterValueException(text);
    case SALTUS_PARAMETER_IN_CALLBACK:
      throw exceptions::ParameterModifiedInCallbackException(text);
    default:
      throw_failure(status, what);
  }
}

}  // namespace rclcpp::detail
