#include "loading.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "ament_index_cpp/get_resource.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/parameter.hpp"

namespace rclcpp_components::detail
{
namespace
{

using Options = rclcpp::NodeOptions;

/// The extra arguments of a request, and the options of a node that they set.
const std::map<std::string, Options & (Options::*)(bool)> EXTRA_ARGUMENTS{
  {"enable_logger_service", &Options::enable_logger_service},
  {"enable_rosout", &Options::enable_rosout},
  {"enable_topic_statistics", &Options::enable_topic_statistics},
  {"forward_global_arguments", &Options::use_global_arguments},
  {"start_parameter_event_publisher", &Options::start_parameter_event_publisher},
  {"start_parameter_services", &Options::start_parameter_services},
  {"use_clock_thread", &Options::use_clock_thread},
  {"use_intra_process_comms", &Options::use_intra_process_comms},
};

void set_extra(Options & options, const rclcpp::Parameter & extra)
{
  const auto found = EXTRA_ARGUMENTS.find(extra.get_name());
  if (found == EXTRA_ARGUMENTS.end()) {
    throw ComponentManagerException("Extra component argument '" + extra.get_name() + "' is not supported");
  }
  if (extra.get_type() != rclcpp::ParameterType::PARAMETER_BOOL) {
    throw ComponentManagerException("Extra component argument '" + extra.get_name() + "' must be a boolean");
  }
  const bool value = extra.get_value<bool>();
  if (extra.get_name() == "forward_global_arguments" && value) {
    RCLCPP_WARN(
      rclcpp::get_logger("rclcpp_components"),
      "with forward_global_arguments, the arguments of the container apply to the component");
  }
  (options.*found->second)(value);
}

/// Returns the name of a class in a library that has a factory for the class of a component.
std::string factory_name(const std::string & class_name)
{
  return "rclcpp_components::NodeFactoryTemplate<" + class_name + ">";
}

Resource read_line(const std::string & line, const std::string & prefix)
{
  const size_t end = line.find(';');
  if (end == std::string::npos || end != line.rfind(';')) {
    throw ComponentManagerException("Invalid resource entry: '" + line + "'");
  }
  const std::string path = line.substr(end + 1);
  return {line.substr(0, end), !path.empty() && path[0] == '/' ? path : prefix + "/" + path};
}

/// Sets the level of the logger of a node, whose name has dots between its levels.
void set_log_level(std::string full_name, uint8_t level)
{
  full_name.erase(0, 1);
  std::replace(full_name.begin(), full_name.end(), '/', '.');
  rclcpp::get_logger(full_name).set_level(static_cast<rclcpp::Logger::Level>(level));
}

}  // namespace

std::vector<Resource> find_resources(const std::string & package, const std::string & index)
{
  std::string content;
  std::string prefix;
  bool is_found = false;
  try {
    is_found = ament_index_cpp::get_resource(index, package, content, &prefix);
  } catch (const std::runtime_error &) {
    // There is no index, or the request has no name.
  }
  if (!is_found) {
    throw ComponentManagerException("Could not find requested resource in ament index");
  }
  std::vector<Resource> resources;
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line); ) {
    if (!line.empty()) {
      resources.push_back(read_line(line, prefix));
    }
  }
  return resources;
}

std::shared_ptr<NodeFactory> make_factory(Loaders & loaders, const Resource & resource, const rclcpp::Logger & logger)
{
  const auto & [class_name, path] = resource;
  auto & loader = loaders[path];
  try {
    if (!loader) {
      RCLCPP_INFO(logger, "Load Library: %s", path.c_str());
      loader = std::make_unique<class_loader::ClassLoader>(path);
    }
    for (const std::string & known : loader->getAvailableClasses<NodeFactory>()) {
      if (known == class_name || known == factory_name(class_name)) {
        RCLCPP_INFO(logger, "Instantiate class: %s", known.c_str());
        return loader->createInstance<NodeFactory>(known);
      }
    }
  } catch (const class_loader::ClassLoaderException & error) {
    loaders.erase(path);
    throw ComponentManagerException(std::string("Failed to load library: ") + error.what());
  }
  return nullptr;
}

rclcpp::NodeOptions options_of(const LoadNode::Request & request)
{
  std::vector<rclcpp::Parameter> parameters;
  for (const auto & parameter : request.parameters) {
    parameters.push_back(rclcpp::Parameter::from_parameter_msg(parameter));
  }
  std::vector<std::string> arguments{"--ros-args"};
  const auto remap = [&](const std::string & rule) {
      arguments.push_back("-r");
      arguments.push_back(rule);
    };
  for (const std::string & rule : request.remap_rules) {
    remap(rule);
  }
  if (!request.node_name.empty()) {
    remap("__node:=" + request.node_name);
  }
  if (!request.node_namespace.empty()) {
    remap("__ns:=" + request.node_namespace);
  }
  rclcpp::NodeOptions options;
  options.use_global_arguments(false).parameter_overrides(parameters).arguments(arguments);
  for (const auto & message : request.extra_arguments) {
    set_extra(options, rclcpp::Parameter::from_parameter_msg(message));
  }
  return options;
}

std::shared_ptr<NodeFactory> find_factory(
  const std::vector<Resource> & resources, const std::string & plugin,
  const std::function<std::shared_ptr<NodeFactory>(const Resource &)> & factory_of)
{
  for (const Resource & resource : resources) {
    if (resource.first != plugin) {
      continue;
    }
    if (auto factory = factory_of(resource)) {
      return factory;
    }
    throw ComponentManagerException("the library " + resource.second + " has no component '" + plugin + "'");
  }
  throw ComponentManagerException("Failed to find class with the requested plugin name.");
}

NodeInstanceWrapper make_component(NodeFactory & factory, const rclcpp::NodeOptions & options, uint8_t log_level)
{
  NodeInstanceWrapper made;
  try {
    made = factory.create_node_instance(options);
  } catch (const std::exception & error) {
    throw ComponentManagerException(std::string("Component constructor threw an exception: ") + error.what());
  } catch (...) {
    throw ComponentManagerException("Component constructor threw an exception");
  }
  if (log_level != 0) {
    set_log_level(made.get_node_base_interface()->get_fully_qualified_name(), log_level);
  }
  return made;
}

}  // namespace rclcpp_components::detail
