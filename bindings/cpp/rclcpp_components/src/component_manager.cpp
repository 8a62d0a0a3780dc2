#include "rclcpp_components/component_manager.hpp"

#include "loading.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp_components
{

rclcpp::NodeOptions ComponentManager::default_options()
{
  return rclcpp::NodeOptions().start_parameter_services(false).start_parameter_event_publisher(false);
}

ComponentManager::ComponentManager(
  std::weak_ptr<rclcpp::Executor> executor, std::string node_name, const rclcpp::NodeOptions & node_options)
: Node(std::move(node_name), node_options), executor_(executor)
{
  using std::placeholders::_1;
  using std::placeholders::_2;
  using std::placeholders::_3;
  loadNode_srv_ = create_service<LoadNode>(
    "~/_container/load_node", std::bind(&ComponentManager::on_load_node, this, _1, _2, _3));
  unloadNode_srv_ = create_service<UnloadNode>(
    "~/_container/unload_node", std::bind(&ComponentManager::on_unload_node, this, _1, _2, _3));
  listNodes_srv_ = create_service<ListNodes>(
    "~/_container/list_nodes", std::bind(&ComponentManager::on_list_nodes, this, _1, _2, _3));
}

void ComponentManager::end_services()
{
  loadNode_srv_.reset();
  unloadNode_srv_.reset();
  listNodes_srv_.reset();
}

ComponentManager::~ComponentManager()
{
  end_services();
  if (const auto executor = executor_.lock()) {
    for (const auto & [id, wrapper] : node_wrappers_) {
      executor->remove_node(wrapper.get_node_base_interface());
    }
  }
  // The components go before the libraries that have their code.
  node_wrappers_.clear();
}

std::vector<ComponentManager::ComponentResource> ComponentManager::get_component_resources(
  const std::string & package_name, const std::string & resource_index) const
{
  return detail::find_resources(package_name, resource_index);
}

std::shared_ptr<NodeFactory> ComponentManager::create_component_factory(const ComponentResource & resource)
{
  return detail::make_factory(loaders_, resource, get_logger());
}

void ComponentManager::set_executor(const std::weak_ptr<rclcpp::Executor> executor) {executor_ = executor;}

rclcpp::NodeOptions ComponentManager::create_node_options(const std::shared_ptr<LoadNode::Request> request)
{
  return detail::options_of(*request);
}

void ComponentManager::add_node_to_executor(uint64_t node_id)
{
  if (const auto executor = executor_.lock()) {
    executor->add_node(node_wrappers_[node_id].get_node_base_interface(), true);
  }
}

void ComponentManager::remove_node_from_executor(uint64_t node_id)
{
  if (const auto executor = executor_.lock()) {
    executor->remove_node(node_wrappers_[node_id].get_node_base_interface());
  }
}

void ComponentManager::on_load_node(
  const std::shared_ptr<rmw_request_id_t>, const std::shared_ptr<LoadNode::Request> request,
  std::shared_ptr<LoadNode::Response> response)
{
  try {
    const auto options = create_node_options(request);
    const auto factory = detail::find_factory(
      get_component_resources(request->package_name), request->plugin_name,
      [this](const ComponentResource & resource) {return create_component_factory(resource);});
    const uint64_t id = ++unique_id_;
    NodeInstanceWrapper wrapper = detail::make_component(*factory, options, request->log_level);
    response->full_node_name = wrapper.get_node_base_interface()->get_fully_qualified_name();
    node_wrappers_[id] = std::move(wrapper);
    add_node_to_executor(id);
    response->unique_id = id;
    response->success = true;
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    response->error_message = error.what();
    response->success = false;
  }
}

void ComponentManager::on_unload_node(
  const std::shared_ptr<rmw_request_id_t>, const std::shared_ptr<UnloadNode::Request> request,
  std::shared_ptr<UnloadNode::Response> response)
{
  const auto found = node_wrappers_.find(request->unique_id);
  response->success = found != node_wrappers_.end();
  if (!response->success) {
    response->error_message = "No node found with unique_id: " + std::to_string(request->unique_id);
    RCLCPP_WARN(get_logger(), "%s", response->error_message.c_str());
    return;
  }
  remove_node_from_executor(request->unique_id);
  node_wrappers_.erase(found);
}

void ComponentManager::on_list_nodes(
  const std::shared_ptr<rmw_request_id_t>, const std::shared_ptr<ListNodes::Request>,
  std::shared_ptr<ListNodes::Response> response)
{
  for (const auto & [id, wrapper] : node_wrappers_) {
    response->unique_ids.push_back(id);
    response->full_node_names.push_back(wrapper.get_node_base_interface()->get_fully_qualified_name());
  }
}

}  // namespace rclcpp_components
