#include "rclcpp/typesupport_helpers.hpp"

#include <filesystem>
#include <stdexcept>

#include "ament_index_cpp/get_package_prefix.hpp"

namespace rclcpp
{
namespace
{

/// The parts of the name of a type, such as "std_msgs/msg/String". The part in the middle may be left out.
struct TypeName
{
  std::string package;
  std::string middle;
  std::string name;

  explicit TypeName(const std::string & type)
  {
    const size_t first = type.find('/');
    const size_t last = type.rfind('/');
    if (first == std::string::npos || first == 0 || last + 1 == type.size()) {
      throw std::runtime_error("Message type is not of the form package/type and cannot be processed: '" + type + "'");
    }
    package = type.substr(0, first);
    middle = last > first ? type.substr(first + 1, last - first - 1) : "";
    name = type.substr(last + 1);
  }
};

std::string prefix_of(const std::string & package)
{
  try {
    return ament_index_cpp::get_package_prefix(package);
  } catch (const ament_index_cpp::PackageNotFoundError & error) {
    throw std::runtime_error(error.what());
  }
}

/// Returns what a function of a library returns, whose name has the type in it.
template<typename Handle>
const Handle * handle_of(
  const std::string & type, const std::string & identifier, const char * kind, const char * middle,
  rcpputils::SharedLibrary & library)
{
  const TypeName parts(type);
  const std::string symbol = identifier + "__get_" + kind + "_type_support_handle__" + parts.package + "__" +
    (parts.middle.empty() ? middle : parts.middle) + "__" + parts.name;
  if (!library.has_symbol(symbol)) {
    throw std::runtime_error(
            std::string("Something went wrong loading the typesupport library for ") + kind + " type " + type +
            ". The library '" + library.get_library_path() + "' does not have it.");
  }
  return reinterpret_cast<const Handle * (*)()>(library.get_symbol(symbol))();
}

}  // namespace

std::shared_ptr<rcpputils::SharedLibrary> get_typesupport_library(
  const std::string & type, const std::string & typesupport_identifier)
{
  const TypeName parts(type);
  const std::string prefix = prefix_of(parts.package);
  const std::string file = rcpputils::get_platform_library_name(parts.package + "__" + typesupport_identifier);
  const std::string path = prefix + "/lib/" + file;
  if (!std::filesystem::exists(path)) {
    throw std::runtime_error(
            "Typesupport library for " + parts.package + " does not exist in '" + prefix + "': expected " + path);
  }
  return std::make_shared<rcpputils::SharedLibrary>(path);
}

const rosidl_message_type_support_t * get_message_typesupport_handle(
  const std::string & type, const std::string & typesupport_identifier, rcpputils::SharedLibrary & library)
{
  return handle_of<rosidl_message_type_support_t>(type, typesupport_identifier, "message", "msg", library);
}

const rosidl_message_type_support_t * get_typesupport_handle(
  const std::string & type, const std::string & typesupport_identifier, rcpputils::SharedLibrary & library)
{
  return get_message_typesupport_handle(type, typesupport_identifier, library);
}

const rosidl_service_type_support_t * get_service_typesupport_handle(
  const std::string & type, const std::string & typesupport_identifier, rcpputils::SharedLibrary & library)
{
  return handle_of<rosidl_service_type_support_t>(type, typesupport_identifier, "service", "srv", library);
}

}  // namespace rclcpp
