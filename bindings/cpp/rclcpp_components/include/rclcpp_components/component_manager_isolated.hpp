#ifndef RCLCPP_COMPONENTS__COMPONENT_MANAGER_ISOLATED_HPP_
#define RCLCPP_COMPONENTS__COMPONENT_MANAGER_ISOLATED_HPP_

#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "rclcpp/executors.hpp"
#include "rclcpp_components/component_manager.hpp"

namespace rclcpp_components
{

/// Runs each component in an executor of its own, on a thread of its own.
template<typename ExecutorT = rclcpp::executors::SingleThreadedExecutor>
class ComponentManagerIsolated : public ComponentManager
{
public:
  template<typename ... Args>
  explicit ComponentManagerIsolated(Args && ... args)
  : ComponentManager(std::forward<Args>(args)...) {}

  ~ComponentManagerIsolated() override
  {
    end_services();
    while (!running_.empty()) {
      end(running_.begin()->first);
    }
    // The manager would remove them from its own executor.
    node_wrappers_.clear();
  }

protected:
  void add_node_to_executor(uint64_t node_id) override
  {
    auto executor = std::make_shared<ExecutorT>();
    executor->add_node(node_wrappers_[node_id].get_node_base_interface());
    running_[node_id] = {executor, std::thread([executor] {executor->spin();})};
  }

  void remove_node_from_executor(uint64_t node_id) override {end(node_id);}

private:
  struct Running
  {
    std::shared_ptr<ExecutorT> executor;
    std::thread thread;
  };

  void end(uint64_t node_id)
  {
    const auto found = running_.find(node_id);
    if (found != running_.end()) {
      found->second.executor->cancel();
      found->second.thread.join();
      running_.erase(found);
    }
  }

  std::map<uint64_t, Running> running_;
};

}  // namespace rclcpp_components

#endif  // RCLCPP_COMPONENTS__COMPONENT_MANAGER_ISOLATED_HPP_
