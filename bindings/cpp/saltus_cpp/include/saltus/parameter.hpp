// Parameters of a node.
#ifndef SALTUS__PARAMETER_HPP_
#define SALTUS__PARAMETER_HPP_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "saltus/context.hpp"

namespace saltus
{
namespace detail
{

/// How a type of C++ is the value of a parameter.
template<typename T>
struct ParameterType;

template<>
struct ParameterType<bool>
{
  static constexpr uint8_t NUMBER = SALTUS_PARAMETER_BOOL;
  static void write(saltus_value_t & value, bool from) {value.boolean = from;}
  static bool read(const saltus_value_t & value) {return value.boolean != 0;}
};

template<>
struct ParameterType<int64_t>
{
  static constexpr uint8_t NUMBER = SALTUS_PARAMETER_INTEGER;
  static void write(saltus_value_t & value, int64_t from) {value.integer = from;}
  static int64_t read(const saltus_value_t & value) {return value.integer;}
};

template<>
struct ParameterType<double>
{
  static constexpr uint8_t NUMBER = SALTUS_PARAMETER_DOUBLE;
  static void write(saltus_value_t & value, double from) {value.real = from;}
  static double read(const saltus_value_t & value) {return value.real;}
};

template<>
struct ParameterType<std::string>
{
  static constexpr uint8_t NUMBER = SALTUS_PARAMETER_STRING;
  static void write(saltus_value_t & value, const std::string & from) {value.text = from.c_str();}
  static std::string read(const saltus_value_t & value) {return value.text;}
};

/// An array whose elements are in C as in C++.
template<typename Element, uint8_t number>
struct ParameterArray
{
  static constexpr uint8_t NUMBER = number;
  static void write(saltus_value_t & value, const std::vector<Element> & from)
  {
    value.elements = from.data();
    value.count = from.size();
  }
  static std::vector<Element> read(const saltus_value_t & value)
  {
    const auto * elements = static_cast<const Element *>(value.elements);
    return std::vector<Element>(elements, elements + value.count);
  }
};
template<>
struct ParameterType<std::vector<uint8_t>> : ParameterArray<uint8_t, SALTUS_PARAMETER_BYTE_ARRAY> {};
template<>
struct ParameterType<std::vector<int64_t>> : ParameterArray<int64_t, SALTUS_PARAMETER_INTEGER_ARRAY> {};
template<>
struct ParameterType<std::vector<double>> : ParameterArray<double, SALTUS_PARAMETER_DOUBLE_ARRAY> {};

template<>
struct ParameterType<std::vector<bool>>
{
  static constexpr uint8_t NUMBER = SALTUS_PARAMETER_BOOL_ARRAY;
  static std::vector<bool> read(const saltus_value_t & value)
  {
    const auto * elements = static_cast<const uint8_t *>(value.elements);
    return std::vector<bool>(elements, elements + value.count);
  }
};

template<>
struct ParameterType<std::vector<std::string>>
{
  static constexpr uint8_t NUMBER = SALTUS_PARAMETER_STRING_ARRAY;
  static std::vector<std::string> read(const saltus_value_t & value)
  {
    const auto * elements = static_cast<const char * const *>(value.elements);
    return std::vector<std::string>(elements, elements + value.count);
  }
};

inline saltus_value_t new_value(uint8_t type)
{
  saltus_value_t value{};
  value.struct_size = sizeof value;
  value.type = type;
  return value;
}

/// Calls a function with the form in C of a value.
template<typename T, typename Call>
auto with_value(const T & from, Call call)
{
  saltus_value_t value = new_value(ParameterType<T>::NUMBER);
  if constexpr (std::is_same_v<T, std::vector<bool>>) {
    const std::vector<uint8_t> flags(from.begin(), from.end());
    value.elements = flags.data();
    value.count = flags.size();
    return call(value);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    std::vector<const char *> texts;
    for (const std::string & text : from) {
      texts.push_back(text.c_str());
    }
    value.elements = texts.data();
    value.count = texts.size();
    return call(value);
  } else {
    ParameterType<T>::write(value, from);
    return call(value);
  }
}

/// Returns the name of a type of parameters.
inline const char * parameter_type_name(uint8_t type)
{
  static constexpr const char * NAMES[] = {
    "not set", "boolean", "integer", "double", "string", "byte array", "boolean array", "integer array", "double array",
    "string array"};
  return type < sizeof NAMES / sizeof *NAMES ? NAMES[type] : "unknown";
}

/// Reads the value of a parameter. Fails if it has another type.
template<typename T>
Result<T> value_of(const saltus_value_t & value)
{
  if (value.type != ParameterType<T>::NUMBER) {
    return Status(
      SALTUS_ERROR, std::string("expected a parameter of the type ") + parameter_type_name(ParameterType<T>::NUMBER) +
      ", found " + parameter_type_name(value.type));
  }
  return ParameterType<T>::read(value);
}

using ParameterResult = Handle<saltus_parameter_result_t, &saltus_parameter_result_destroy>;

template<typename T>
Result<T> value_of(const Result<ParameterResult> & result)
{
  return result ? value_of<T>(*saltus_parameter_result_value(result->get())) : Result<T>(result.failure());
}

}  // namespace detail

/// The values that a parameter may have: from the first to the last, in steps. A step of 0 allows all of them.
struct IntegerRange
{
  int64_t from;
  int64_t to;
  uint64_t step = 0;
};
struct RealRange
{
  double from;
  double to;
  double step = 0;
};

/// What is known of a parameter besides its value.
struct ParameterDescriptor
{
  std::string description;
  bool is_read_only = false;
  /// Whether the type may change.
  bool is_dynamic = false;
  std::optional<IntegerRange> integer_range;
  std::optional<RealRange> real_range;
};

namespace detail
{

/// Returns the form in C of a descriptor, which points to it.
inline saltus_descriptor_t to_c(const ParameterDescriptor & descriptor)
{
  saltus_descriptor_t result;
  saltus_descriptor_init(&result, sizeof result);
  result.description = descriptor.description.c_str();
  result.read_only = descriptor.is_read_only;
  result.dynamic_typing = descriptor.is_dynamic;
  if (const auto & range = descriptor.integer_range) {
    result.has_integer_range = 1;
    result.integer_from = range->from;
    result.integer_to = range->to;
    result.integer_step = range->step;
  }
  if (const auto & range = descriptor.real_range) {
    result.has_real_range = 1;
    result.real_from = range->from;
    result.real_to = range->to;
    result.real_step = range->step;
  }
  return result;
}

}  // namespace detail

// `T` is one of bool, int64_t, double, std::string, and a vector of one of these or of uint8_t.

/// Declares a parameter, and returns the value that it has then: that of the user, or the default.
template<typename T>
Result<T> declare_parameter(
  const Node & node, const std::string & name, const T & default_value, const ParameterDescriptor & descriptor = {})
{
  const saltus_descriptor_t described = detail::to_c(descriptor);
  return detail::value_of<T>(
    detail::with_value(
      default_value, [&](const saltus_value_t & value) {
        return detail::created<detail::ParameterResult>(
          [&](saltus_parameter_result_t ** place) {
            return saltus_node_declare_parameter(node.get(), name.c_str(), &value, &described, false, place);
          });
      }));
}

/// Declares a parameter without a default. It has the value of the user, or none before it is set.
template<typename T>
Status declare_parameter_without_value(
  const Node & node, const std::string & name, const ParameterDescriptor & descriptor = {})
{
  saltus_descriptor_t described = detail::to_c(descriptor);
  described.type = detail::ParameterType<T>::NUMBER;
  return detail::created<detail::ParameterResult>(
    [&](saltus_parameter_result_t ** place) {
      return saltus_node_declare_parameter(node.get(), name.c_str(), nullptr, &described, false, place);
    }).failure();
}

/// Removes a declared parameter.
inline Status undeclare_parameter(const Node & node, const std::string & name)
{
  return Status(saltus_node_undeclare_parameter(node.get(), name.c_str()));
}

/// Returns the value of a parameter.
template<typename T>
Result<T> get_parameter(const Node & node, const std::string & name)
{
  return detail::value_of<T>(
    detail::created<detail::ParameterResult>(
      [&](saltus_parameter_result_t ** place) {return saltus_node_get_parameter(node.get(), name.c_str(), place);}));
}

/// Sets a parameter. Fails if its range, its type or a callback refuses the value.
template<typename T>
Status set_parameter(const Node & node, const std::string & name, const T & new_value)
{
  return detail::with_value(
    new_value, [&](const saltus_value_t & value) {
      const saltus_parameter_t parameter{name.c_str(), &value};
      return Status(saltus_node_set_parameters(node.get(), &parameter, 1));
    });
}

/// A new value of a parameter, as a callback gets it. It is valid until the callback returns.
class ParameterChange
{
public:
  explicit ParameterChange(const saltus_parameter_t & parameter)
  : parameter_(parameter) {}

  std::string name() const {return parameter_.name;}
  /// Fails if the parameter has another type.
  template<typename T>
  Result<T> value() const {return detail::value_of<T>(*parameter_.value);}

private:
  const saltus_parameter_t & parameter_;
};

/// Calls a function for parameters that are set. It ends when it is destroyed.
class ParameterCallback
{
public:
  /// `callback` takes a ParameterChange, and returns an empty text, or the reason why the value is refused. It is called for each
  /// parameter, on the thread that sets it. If it refuses one, none of those that are set together is set.
  template<typename Callback>
  static Result<ParameterCallback> create(const Node & node, Callback && callback)
  {
    auto handle = detail::created<Handle>(
      [&](saltus_parameter_callback_t ** place) {
        return saltus_node_on_set(
          node.get(), &check, detail::owned(Check(std::forward<Callback>(callback))), &detail::drop<Check>, place);
      });
    return handle ? Result<ParameterCallback>(ParameterCallback(std::move(*handle))) : Result<ParameterCallback>(
      handle.failure());
  }

private:
  using Handle = detail::Handle<saltus_parameter_callback_t, &saltus_parameter_callback_destroy>;
  using Check = std::function<std::string(const ParameterChange &)>;

  static const char * check(void * context, const saltus_parameter_t * parameters, size_t count) noexcept
  {
    // The reason must last until this function is called again on the same thread.
    thread_local std::string reason;
    for (size_t i = 0; i < count; ++i) {
      reason = (*static_cast<Check *>(context))(ParameterChange(parameters[i]));
      if (!reason.empty()) {
        return reason.c_str();
      }
    }
    return nullptr;
  }

  explicit ParameterCallback(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace saltus

#endif  // SALTUS__PARAMETER_HPP_
