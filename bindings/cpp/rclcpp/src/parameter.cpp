#include "rclcpp/parameter.hpp"

#include <iomanip>
#include <ostream>
#include <sstream>

namespace rclcpp
{

std::string to_string(ParameterType type)
{
  switch (type) {
    case PARAMETER_NOT_SET: return "not set";
    case PARAMETER_BOOL: return "bool";
    case PARAMETER_INTEGER: return "integer";
    case PARAMETER_DOUBLE: return "double";
    case PARAMETER_STRING: return "string";
    case PARAMETER_BYTE_ARRAY: return "byte_array";
    case PARAMETER_BOOL_ARRAY: return "bool_array";
    case PARAMETER_INTEGER_ARRAY: return "integer_array";
    case PARAMETER_DOUBLE_ARRAY: return "double_array";
    case PARAMETER_STRING_ARRAY: return "string_array";
    default: return "unknown type";
  }
}

std::ostream & operator<<(std::ostream & os, ParameterType type) {return os << to_string(type);}

ParameterTypeException::ParameterTypeException(ParameterType expected, ParameterType actual)
: std::runtime_error("expected [" + to_string(expected) + "] got [" + to_string(actual) + "]") {}

namespace
{

/// The text of one element.
template<typename T>
void write(std::ostream & out, const T & value) {out << value;}
void write(std::ostream & out, bool value) {out << (value ? "true" : "false");}
void write(std::ostream & out, const std::string & value) {out << value;}
void write(std::ostream & out, uint8_t value)
{
  out << "0x" << std::hex << std::setw(2) << std::setfill('0') << static_cast<int>(value) << std::dec;
}

template<typename List>
std::string listed(const List & list)
{
  std::ostringstream out;
  out << "[";
  const char * between = "";
  for (const auto & one : list) {
    out << between;
    write(out, static_cast<typename List::value_type>(one));
    between = ", ";
  }
  out << "]";
  return out.str();
}

}  // namespace

std::string to_string(const ParameterValue & value)
{
  switch (value.get_type()) {
    case PARAMETER_NOT_SET: return "not set";
    case PARAMETER_BOOL: return value.get<bool>() ? "true" : "false";
    case PARAMETER_INTEGER: return std::to_string(value.get<int64_t>());
    case PARAMETER_DOUBLE: return std::to_string(value.get<double>());
    case PARAMETER_STRING: return value.get<std::string>();
    case PARAMETER_BYTE_ARRAY: return listed(value.get<std::vector<uint8_t>>());
    case PARAMETER_BOOL_ARRAY: return listed(value.get<std::vector<bool>>());
    case PARAMETER_INTEGER_ARRAY: return listed(value.get<std::vector<int64_t>>());
    case PARAMETER_DOUBLE_ARRAY: return listed(value.get<std::vector<double>>());
    case PARAMETER_STRING_ARRAY: return listed(value.get<std::vector<std::string>>());
    default: return "unknown type";
  }
}

ParameterValue::ParameterValue() {value_.type = PARAMETER_NOT_SET;}

ParameterValue::ParameterValue(const rcl_interfaces::msg::ParameterValue & value)
: value_(value)
{
  if (value.type > PARAMETER_STRING_ARRAY) {
    throw std::runtime_error("Unknown type: " + std::to_string(value.type));
  }
}

ParameterValue::ParameterValue(bool bool_value)
{
  value_.bool_value = bool_value;
  value_.type = PARAMETER_BOOL;
}

ParameterValue::ParameterValue(int int_value)
: ParameterValue(static_cast<int64_t>(int_value)) {}

ParameterValue::ParameterValue(int64_t int_value)
{
  value_.integer_value = int_value;
  value_.type = PARAMETER_INTEGER;
}

ParameterValue::ParameterValue(float double_value)
: ParameterValue(static_cast<double>(double_value)) {}

ParameterValue::ParameterValue(double double_value)
{
  value_.double_value = double_value;
  value_.type = PARAMETER_DOUBLE;
}

ParameterValue::ParameterValue(const std::string & string_value)
{
  value_.string_value = string_value;
  value_.type = PARAMETER_STRING;
}

ParameterValue::ParameterValue(const char * string_value)
: ParameterValue(std::string(string_value)) {}

ParameterValue::ParameterValue(const std::vector<uint8_t> & byte_array_value)
{
  value_.byte_array_value = byte_array_value;
  value_.type = PARAMETER_BYTE_ARRAY;
}

ParameterValue::ParameterValue(const std::vector<bool> & bool_array_value)
{
  value_.bool_array_value = bool_array_value;
  value_.type = PARAMETER_BOOL_ARRAY;
}

ParameterValue::ParameterValue(const std::vector<int> & int_array_value)
{
  value_.integer_array_value.assign(int_array_value.cbegin(), int_array_value.cend());
  value_.type = PARAMETER_INTEGER_ARRAY;
}

ParameterValue::ParameterValue(const std::vector<int64_t> & int_array_value)
{
  value_.integer_array_value = int_array_value;
  value_.type = PARAMETER_INTEGER_ARRAY;
}

ParameterValue::ParameterValue(const std::vector<float> & double_array_value)
{
  for (const float value : double_array_value) {
    value_.double_array_value.push_back(static_cast<double>(value));
  }
  value_.type = PARAMETER_DOUBLE_ARRAY;
}

ParameterValue::ParameterValue(const std::vector<double> & double_array_value)
{
  value_.double_array_value = double_array_value;
  value_.type = PARAMETER_DOUBLE_ARRAY;
}

ParameterValue::ParameterValue(const std::vector<std::string> & string_array_value)
{
  value_.string_array_value = string_array_value;
  value_.type = PARAMETER_STRING_ARRAY;
}

ParameterType ParameterValue::get_type() const {return static_cast<ParameterType>(value_.type);}

rcl_interfaces::msg::ParameterValue ParameterValue::to_value_msg() const {return value_;}

bool ParameterValue::operator==(const ParameterValue & rhs) const {return value_ == rhs.value_;}

bool ParameterValue::operator!=(const ParameterValue & rhs) const {return value_ != rhs.value_;}

void ParameterValue::expect(ParameterType type) const
{
  if (get_type() != type) {
    throw ParameterTypeException(type, get_type());
  }
}

Parameter::Parameter() = default;

Parameter::Parameter(const std::string & name)
: name_(name) {}

Parameter::Parameter(const std::string & name, const ParameterValue & value)
: name_(name), value_(value) {}

std::string Parameter::get_type_name() const {return to_string(get_type());}

rcl_interfaces::msg::ParameterValue Parameter::get_value_message() const {return value_.to_value_msg();}

Parameter Parameter::from_parameter_msg(const rcl_interfaces::msg::Parameter & parameter)
{
  return Parameter(parameter.name, ParameterValue(parameter.value));
}

rcl_interfaces::msg::Parameter Parameter::to_parameter_msg() const
{
  rcl_interfaces::msg::Parameter parameter;
  parameter.name = name_;
  parameter.value = value_.to_value_msg();
  return parameter;
}

std::string Parameter::value_to_string() const {return to_string(value_);}

std::string _to_json_dict_entry(const Parameter & param)
{
  return "\"" + param.get_name() + "\": {\"type\": \"" + param.get_type_name() + "\", \"value\": \"" +
         param.value_to_string() + "\"}";
}

std::ostream & operator<<(std::ostream & os, const Parameter & pv) {return os << std::to_string(pv);}

std::ostream & operator<<(std::ostream & os, const std::vector<Parameter> & parameters)
{
  return os << std::to_string(parameters);
}

}  // namespace rclcpp

std::string std::to_string(const rclcpp::Parameter & param)
{
  return "{\"name\": \"" + param.get_name() + "\", \"type\": \"" + param.get_type_name() + "\", \"value\": \"" +
         param.value_to_string() + "\"}";
}

std::string std::to_string(const std::vector<rclcpp::Parameter> & parameters)
{
  std::string text = "{";
  const char * between = "";
  for (const auto & parameter : parameters) {
    text += between + rclcpp::_to_json_dict_entry(parameter);
    between = ", ";
  }
  return text + "}";
}
