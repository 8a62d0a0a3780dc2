// The parameters of the subject.
#ifndef NATIVE__PARAMETERS_HPP_
#define NATIVE__PARAMETERS_HPP_

#include <cstdint>
#include <string>
#include <utility>

#include "../outcome.hpp"
#include "failure.hpp"
#include "saltus/saltus.hpp"

class Parameters
{
public:
  explicit Parameters(saltus::Node & node)
  : node_(node), checked_(must(saltus::ParameterCallback::create(node, &refuse_seven)))
  {
    saltus::ParameterDescriptor rate;
    rate.description = "how often";
    rate.real_range = {0, 100, 0.5};
    must(saltus::declare_parameter(node, "rate", 10.0, rate));
    saltus::ParameterDescriptor count;
    count.integer_range = {0, 10, 0};
    must(saltus::declare_parameter(node, "count", int64_t{5}, count));
    saltus::ParameterDescriptor serial;
    serial.is_read_only = true;
    must(saltus::declare_parameter(node, "serial", std::string("X1"), serial));
    saltus::ParameterDescriptor free;
    free.is_dynamic = true;
    must(saltus::declare_parameter(node, "free", int64_t{1}, free));
    must(saltus::declare_parameter_without_value<bool>(node, "unset"));
    must(saltus::declare_parameter(node, "arm.joint.name", std::string("elbow")));
  }

  static bool has(const std::string & command)
  {
    return command == "declare" || command == "get" || command == "set" || command == "undeclare";
  }

  std::string run(const Words & words)
  {
    const std::string & name = words.at(1);
    if (words.at(0) == "declare") {
      must(saltus::declare_parameter(node_, name, int64_t{1}));
    } else if (words.at(0) == "get") {
      return std::to_string(must(saltus::get_parameter<int64_t>(node_, name)));
    } else if (words.at(0) == "set") {
      must(saltus::set_parameter(node_, name, int64_t{std::stoll(words.at(2))}));
    } else {
      must(saltus::undeclare_parameter(node_, name));
    }
    return "";
  }

private:
  static std::string refuse_seven(const saltus::ParameterChange & change)
  {
    const auto value = change.value<int64_t>();
    return change.name() == "count" && value && *value == 7 ? "seven is not allowed" : "";
  }

  saltus::Node & node_;
  saltus::ParameterCallback checked_;
};

#endif  // NATIVE__PARAMETERS_HPP_
