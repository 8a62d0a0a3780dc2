#ifndef RCLCPP__EXECUTOR_OPTIONS_HPP_
#define RCLCPP__EXECUTOR_OPTIONS_HPP_

#include <memory>

#include "rclcpp/context.hpp"
#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/memory_strategies.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// The options of an executor.
struct ExecutorOptions
{
  rclcpp::Context::SharedPtr context = rclcpp::contexts::get_global_default_context();
  /// Has no effect, see `memory_strategy::MemoryStrategy`.
  rclcpp::memory_strategy::MemoryStrategy::SharedPtr memory_strategy = rclcpp::memory_strategies::create_default_strategy();
  /// Has no effect.
  size_t max_conditions = 0;
};

}  // namespace rclcpp

#endif  // RCLCPP__EXECUTOR_OPTIONS_HPP_
