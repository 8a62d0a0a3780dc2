#ifndef RCLCPP__PARAMETER_VALUE_HPP_
#define RCLCPP__PARAMETER_VALUE_HPP_

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "rcl_interfaces/msg/detail/parameter_type__struct.hpp"
#include "rcl_interfaces/msg/detail/parameter_value__struct.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

enum ParameterType : uint8_t
{
  PARAMETER_NOT_SET = rcl_interfaces::msg::ParameterType::PARAMETER_NOT_SET,
  PARAMETER_BOOL = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL,
  PARAMETER_INTEGER = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER,
  PARAMETER_DOUBLE = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE,
  PARAMETER_STRING = rcl_interfaces::msg::ParameterType::PARAMETER_STRING,
  PARAMETER_BYTE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BYTE_ARRAY,
  PARAMETER_BOOL_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL_ARRAY,
  PARAMETER_INTEGER_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER_ARRAY,
  PARAMETER_DOUBLE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE_ARRAY,
  PARAMETER_STRING_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_STRING_ARRAY,
};

/// Returns the name of a type, such as "integer".
RCLCPP_PUBLIC std::string to_string(ParameterType type);
RCLCPP_PUBLIC std::ostream & operator<<(std::ostream & os, ParameterType type);

/// Thrown if a value has another type than the one that was asked for.
class RCLCPP_PUBLIC ParameterTypeException : public std::runtime_error
{
public:
  ParameterTypeException(ParameterType expected, ParameterType actual);
  /// The same for the parameter with a name.
  ParameterTypeException(const std::string & name, const ParameterTypeException & error)
  : std::runtime_error("parameter '" + name + "' has invalid type: " + error.what()) {}
};

class ParameterValue;

namespace detail
{

template<typename T>
struct IsVector : std::false_type {};
template<typename T, typename A>
struct IsVector<std::vector<T, A>>: std::true_type {};

}  // namespace detail

/// The value of a parameter.
class RCLCPP_PUBLIC ParameterValue
{
public:
  /// A value that is not set.
  ParameterValue();
  explicit ParameterValue(const rcl_interfaces::msg::ParameterValue & value);
  explicit ParameterValue(bool bool_value);
  explicit ParameterValue(int int_value);
  explicit ParameterValue(int64_t int_value);
  explicit ParameterValue(float double_value);
  explicit ParameterValue(double double_value);
  explicit ParameterValue(const std::string & string_value);
  explicit ParameterValue(const char * string_value);
  explicit ParameterValue(const std::vector<uint8_t> & byte_array_value);
  explicit ParameterValue(const std::vector<bool> & bool_array_value);
  explicit ParameterValue(const std::vector<int> & int_array_value);
  explicit ParameterValue(const std::vector<int64_t> & int_array_value);
  explicit ParameterValue(const std::vector<float> & double_array_value);
  explicit ParameterValue(const std::vector<double> & double_array_value);
  explicit ParameterValue(const std::vector<std::string> & string_array_value);

  ParameterType get_type() const;
  rcl_interfaces::msg::ParameterValue to_value_msg() const;
  bool operator==(const ParameterValue & rhs) const;
  bool operator!=(const ParameterValue & rhs) const;

  /// Returns the value.
  /// \throws ParameterTypeException if it has another type
  template<ParameterType type>
  constexpr decltype(auto) get() const
  {
    expect(type);
    if constexpr (type == PARAMETER_BOOL) {
      return (value_.bool_value);
    } else if constexpr (type == PARAMETER_INTEGER) {
      return (value_.integer_value);
    } else if constexpr (type == PARAMETER_DOUBLE) {
      return (value_.double_value);
    } else if constexpr (type == PARAMETER_STRING) {
      return (value_.string_value);
    } else if constexpr (type == PARAMETER_BYTE_ARRAY) {
      return (value_.byte_array_value);
    } else if constexpr (type == PARAMETER_BOOL_ARRAY) {
      return (value_.bool_array_value);
    } else if constexpr (type == PARAMETER_INTEGER_ARRAY) {
      return (value_.integer_array_value);
    } else if constexpr (type == PARAMETER_DOUBLE_ARRAY) {
      return (value_.double_array_value);
    } else {
      static_assert(type == PARAMETER_STRING_ARRAY, "no value has this type");
      return (value_.string_array_value);
    }
  }

  /// Returns the value. Integers and numbers of other sizes are converted.
  /// \throws ParameterTypeException if it has another type
  template<typename type>
  constexpr decltype(auto) get() const
  {
    if constexpr (std::is_same_v<type, ParameterValue>) {
      return (*this);
    } else if constexpr (std::is_same_v<type, rcl_interfaces::msg::ParameterValue>) {
      return (value_);
    } else if constexpr (std::is_same_v<type, bool>) {
      return get<PARAMETER_BOOL>();
    } else if constexpr (std::is_enum_v<type>) {
      return static_cast<type>(get<PARAMETER_INTEGER>());
    } else if constexpr (std::is_same_v<type, int64_t>) {
      return get<PARAMETER_INTEGER>();
    } else if constexpr (std::is_integral_v<type>) {
      return static_cast<type>(get<PARAMETER_INTEGER>());
    } else if constexpr (std::is_same_v<type, double>) {
      return get<PARAMETER_DOUBLE>();
    } else if constexpr (std::is_floating_point_v<type>) {
      return static_cast<type>(get<PARAMETER_DOUBLE>());
    } else if constexpr (std::is_convertible_v<type, std::string>) {
      return get<PARAMETER_STRING>();
    } else {
      return get_array<type>();
    }
  }

private:
  void expect(ParameterType type) const;

  template<typename type>
  constexpr decltype(auto) get_array() const
  {
    static_assert(detail::IsVector<type>::value, "no parameter has this type");
    using Element = typename type::value_type;
    if constexpr (std::is_same_v<Element, bool>) {
      return get<PARAMETER_BOOL_ARRAY>();
    } else if constexpr (std::is_same_v<Element, uint8_t>) {
      return get<PARAMETER_BYTE_ARRAY>();
    } else if constexpr (std::is_same_v<Element, int64_t>) {
      return get<PARAMETER_INTEGER_ARRAY>();
    } else if constexpr (std::is_same_v<Element, double>) {
      return get<PARAMETER_DOUBLE_ARRAY>();
    } else if constexpr (std::is_same_v<Element, std::string>) {
      return get<PARAMETER_STRING_ARRAY>();
    } else if constexpr (std::is_integral_v<Element>) {
      const auto & values = get<PARAMETER_INTEGER_ARRAY>();
      return converted<type>(values);
    } else {
      static_assert(std::is_floating_point_v<Element>, "no parameter has this type");
      const auto & values = get<PARAMETER_DOUBLE_ARRAY>();
      return converted<type>(values);
    }
  }

  template<typename type, typename Values>
  static type converted(const Values & values)
  {
    type result;
    result.reserve(values.size());
    for (const auto value : values) {
      result.push_back(static_cast<typename type::value_type>(value));
    }
    return result;
  }

  rcl_interfaces::msg::ParameterValue value_;
};

/// Returns a value as a text.
RCLCPP_PUBLIC std::string to_string(const ParameterValue & type);

}  // namespace rclcpp

#endif  // RCLCPP__PARAMETER_VALUE_HPP_
