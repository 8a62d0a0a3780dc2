// Parameters in the forms of rclcpp and of libsaltus.
#ifndef PARAMETERS_HPP_
#define PARAMETERS_HPP_

#include <deque>
#include <string>
#include <vector>

#include "libsaltus.hpp"
#include "rclcpp/parameter.hpp"

namespace rclcpp::detail
{

/// A value of rclcpp in the form of libsaltus, with the memory that it points to.
class SaltusValue
{
public:
  explicit SaltusValue(const ParameterValue & value);
  SaltusValue(const SaltusValue &) = delete;
  SaltusValue & operator=(const SaltusValue &) = delete;

  const saltus_value_t * get() const {return &value_;}

private:
  void set_elements();

  rcl_interfaces::msg::ParameterValue message_;
  std::vector<uint8_t> flags_;
  std::vector<const char *> texts_;
  saltus_value_t value_{};
};

/// Parameters of rclcpp in the form of libsaltus.
class ParameterList
{
public:
  explicit ParameterList(const std::vector<Parameter> & parameters);

  const saltus_parameter_t * data() const {return items_.data();}
  size_t size() const {return items_.size();}

private:
  std::vector<Parameter> parameters_;
  std::deque<SaltusValue> values_;
  std::vector<saltus_parameter_t> items_;
};

/// Returns a value of libsaltus.
ParameterValue value_of(const saltus_value_t & value);
/// Returns parameters of libsaltus.
std::vector<Parameter> parameters_of(const saltus_parameter_t * first, size_t count);
/// Throws the exception for a failure with a parameter, if there is one.
void check_parameter(saltus_status_t status, const std::string & name, const std::string & what);

}  // namespace rclcpp::detail

#endif  // PARAMETERS_HPP_
