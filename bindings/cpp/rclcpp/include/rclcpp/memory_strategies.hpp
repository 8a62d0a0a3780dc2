#ifndef RCLCPP__MEMORY_STRATEGIES_HPP_
#define RCLCPP__MEMORY_STRATEGIES_HPP_

#include <memory>

#include "rclcpp/strategies/allocator_memory_strategy.hpp"

namespace rclcpp
{
namespace memory_strategies
{

/// Returns the strategy that an executor has when the program names none.
inline memory_strategy::MemoryStrategy::SharedPtr create_default_strategy()
{
  return std::make_shared<allocator_memory_strategy::AllocatorMemoryStrategy<>>();
}

}  // namespace memory_strategies
}  // namespace rclcpp

#endif  // RCLCPP__MEMORY_STRATEGIES_HPP_
