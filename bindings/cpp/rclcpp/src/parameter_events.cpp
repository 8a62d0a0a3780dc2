// What happens to parameters: the filter of an event, and callbacks for events.
#include <algorithm>
#include <stdexcept>

#include "rclcpp/parameter_event_handler.hpp"
#include "rclcpp/parameter_events_filter.hpp"

namespace rclcpp
{
namespace
{

template<typename T>
bool has(const std::vector<T> & all, const T & one) {return std::find(all.begin(), all.end(), one) != all.end();}

/// Returns pointers to all that still exist, and forgets the others.
template<typename Handle>
std::vector<std::shared_ptr<Handle>> living(std::vector<std::weak_ptr<Handle>> & all)
{
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto & weak) {return weak.expired();}), all.end());
  std::vector<std::shared_ptr<Handle>> found;
  for (const auto & weak : all) {
    if (auto handle = weak.lock()) {
      found.push_back(std::move(handle));
    }
  }
  return found;
}

/// Removes a handle.
/// \throws std::runtime_error if it is unknown
template<typename Handle>
void remove(std::vector<std::weak_ptr<Handle>> & all, const std::shared_ptr<Handle> & handle)
{
  const auto is_it = [&](const auto & weak) {return weak.lock() == handle;};
  const auto found = std::find_if(all.begin(), all.end(), is_it);
  if (found == all.end()) {
    throw std::runtime_error("Callback doesn't exist");
  }
  all.erase(found);
}

}  // namespace

ParameterEventsFilter::ParameterEventsFilter(
  std::shared_ptr<const rcl_interfaces::msg::ParameterEvent> event, const std::vector<std::string> & names,
  const std::vector<EventType> & types)
: event_(event)
{
  const auto add = [&](EventType type, const std::vector<rcl_interfaces::msg::Parameter> & parameters) {
      for (const auto & parameter : parameters) {
        if (has(types, type) && has(names, parameter.name)) {
          result_.emplace_back(type, &parameter);
        }
      }
    };
  add(EventType::NEW, event->new_parameters);
  add(EventType::CHANGED, event->changed_parameters);
  add(EventType::DELETED, event->deleted_parameters);
}

ParameterEventCallbackHandle::SharedPtr ParameterEventHandler::add_parameter_event_callback(
  ParameterEventCallbackType callback)
{
  auto handle = std::make_shared<ParameterEventCallbackHandle>();
  handle->callback = std::move(callback);
  std::lock_guard<std::recursive_mutex> lock(callbacks_->mutex_);
  callbacks_->event_callbacks_.insert(callbacks_->event_callbacks_.begin(), handle);
  return handle;
}

void ParameterEventHandler::remove_parameter_event_callback(ParameterEventCallbackHandle::SharedPtr callback_handle)
{
  std::lock_guard<std::recursive_mutex> lock(callbacks_->mutex_);
  remove(callbacks_->event_callbacks_, callback_handle);
}

ParameterCallbackHandle::SharedPtr ParameterEventHandler::add_parameter_callback(
  const std::string & parameter_name, ParameterCallbackType callback, const std::string & node_name)
{
  auto handle = std::make_shared<ParameterCallbackHandle>();
  handle->parameter_name = parameter_name;
  handle->node_name = full_name(node_name);
  handle->callback = std::move(callback);
  std::lock_guard<std::recursive_mutex> lock(callbacks_->mutex_);
  callbacks_->parameter_callbacks_.insert(callbacks_->parameter_callbacks_.begin(), handle);
  return handle;
}

void ParameterEventHandler::remove_parameter_callback(ParameterCallbackHandle::SharedPtr callback_handle)
{
  std::lock_guard<std::recursive_mutex> lock(callbacks_->mutex_);
  remove(callbacks_->parameter_callbacks_, callback_handle);
}

std::string ParameterEventHandler::full_name(const std::string & node_name) const
{
  if (node_name.empty()) {
    return node_base_->get_fully_qualified_name();
  }
  if (node_name.front() == '/') {
    return node_name;
  }
  const std::string name_space = node_base_->get_namespace();
  return (name_space == "/" ? name_space : name_space + "/") + node_name;
}

bool ParameterEventHandler::get_parameter_from_event(
  const rcl_interfaces::msg::ParameterEvent & event, Parameter & parameter, const std::string & parameter_name,
  const std::string & node_name)
{
  if (!node_name.empty() && event.node != node_name) {
    return false;
  }
  for (const Parameter & one : get_parameters_from_event(event)) {
    if (one.get_name() == parameter_name) {
      parameter = one;
      return true;
    }
  }
  return false;
}

Parameter ParameterEventHandler::get_parameter_from_event(
  const rcl_interfaces::msg::ParameterEvent & event, const std::string & parameter_name, const std::string & node_name)
{
  Parameter parameter(parameter_name);
  if (!get_parameter_from_event(event, parameter, parameter_name, node_name) && event.node != node_name) {
    throw std::runtime_error(
            "Parameter '" + parameter_name + "' of node '" + node_name + "' is not part of parameter event");
  }
  return parameter;
}

std::vector<Parameter> ParameterEventHandler::get_parameters_from_event(
  const rcl_interfaces::msg::ParameterEvent & event)
{
  std::vector<Parameter> parameters;
  for (const auto & one : event.new_parameters) {
    parameters.push_back(Parameter::from_parameter_msg(one));
  }
  for (const auto & one : event.changed_parameters) {
    parameters.push_back(Parameter::from_parameter_msg(one));
  }
  return parameters;
}

void ParameterEventHandler::Callbacks::event_callback(const rcl_interfaces::msg::ParameterEvent & event)
{
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  for (const auto & handle : living(parameter_callbacks_)) {
    Parameter parameter;
    if (get_parameter_from_event(event, parameter, handle->parameter_name, handle->node_name)) {
      handle->callback(parameter);
    }
  }
  for (const auto & handle : living(event_callbacks_)) {
    handle->callback(event);
  }
}

}  // namespace rclcpp
