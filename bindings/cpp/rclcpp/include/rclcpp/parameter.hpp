#ifndef RCLCPP__PARAMETER_HPP_
#define RCLCPP__PARAMETER_HPP_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "rcl_interfaces/msg/detail/parameter__struct.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/parameter_value.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

class Parameter;

/// The name and the value of a parameter.
class RCLCPP_PUBLIC Parameter
{
public:
  Parameter();
  explicit Parameter(const std::string & name);
  Parameter(const std::string & name, const ParameterValue & value);
  template<typename ValueTypeT>
  Parameter(const std::string & name, ValueTypeT value)
  : Parameter(name, ParameterValue(value)) {}

  bool operator==(const Parameter & rhs) const {return name_ == rhs.name_ && value_ == rhs.value_;}
  bool operator!=(const Parameter & rhs) const {return !(*this == rhs);}

  ParameterType get_type() const {return value_.get_type();}
  std::string get_type_name() const;
  const std::string & get_name() const {return name_;}
  rcl_interfaces::msg::ParameterValue get_value_message() const;
  const rclcpp::ParameterValue & get_parameter_value() const {return value_;}

  /// Returns the value.
  /// \throws rclcpp::ParameterTypeException if it has another type. So do the functions as_...().
  template<ParameterType ParamT>
  decltype(auto) get_value() const
  {
    try {
      return value_.get<ParamT>();
    } catch (const ParameterTypeException & error) {
      throw ParameterTypeException(name_, error);
    }
  }

  /// Returns the value.
  /// \throws rclcpp::exceptions::InvalidParameterTypeException if it has another type
  template<typename T>
  decltype(auto) get_value() const
  {
    if constexpr (std::is_same_v<T, Parameter>) {
      return (*this);
    } else {
      try {
        return value_.get<T>();
      } catch (const ParameterTypeException & error) {
        throw exceptions::InvalidParameterTypeException(name_, error.what());
      }
    }
  }

  bool as_bool() const {return get_value<PARAMETER_BOOL>();}
  int64_t as_int() const {return get_value<PARAMETER_INTEGER>();}
  double as_double() const {return get_value<PARAMETER_DOUBLE>();}
  const std::string & as_string() const {return get_value<PARAMETER_STRING>();}
  const std::vector<uint8_t> & as_byte_array() const {return get_value<PARAMETER_BYTE_ARRAY>();}
  const std::vector<bool> & as_bool_array() const {return get_value<PARAMETER_BOOL_ARRAY>();}
  const std::vector<int64_t> & as_integer_array() const {return get_value<PARAMETER_INTEGER_ARRAY>();}
  const std::vector<double> & as_double_array() const {return get_value<PARAMETER_DOUBLE_ARRAY>();}
  const std::vector<std::string> & as_string_array() const {return get_value<PARAMETER_STRING_ARRAY>();}

  static Parameter from_parameter_msg(const rcl_interfaces::msg::Parameter & parameter);
  rcl_interfaces::msg::Parameter to_parameter_msg() const;
  std::string value_to_string() const;

private:
  std::string name_;
  ParameterValue value_;
};

/// Writes a parameter as JSON.
RCLCPP_PUBLIC std::string _to_json_dict_entry(const Parameter & param);
RCLCPP_PUBLIC std::ostream & operator<<(std::ostream & os, const rclcpp::Parameter & pv);
RCLCPP_PUBLIC std::ostream & operator<<(std::ostream & os, const std::vector<Parameter> & parameters);

}  // namespace rclcpp

namespace std
{

/// Returns a parameter as a text.
RCLCPP_PUBLIC std::string to_string(const rclcpp::Parameter & param);
RCLCPP_PUBLIC std::string to_string(const std::vector<rclcpp::Parameter> & parameters);

}  // namespace std

#endif  // RCLCPP__PARAMETER_HPP_
