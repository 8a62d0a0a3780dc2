#ifndef RCLCPP__STRATEGIES__ALLOCATOR_MEMORY_STRATEGY_HPP_
#define RCLCPP__STRATEGIES__ALLOCATOR_MEMORY_STRATEGY_HPP_

#include <memory>

#include "rclcpp/memory_strategy.hpp"

namespace rclcpp
{
namespace memory_strategies
{
namespace allocator_memory_strategy
{

/// A strategy with an allocator of the program. It has no effect, see `MemoryStrategy`: nothing is allocated through it.
template<typename Alloc = std::allocator<void>>
class AllocatorMemoryStrategy : public memory_strategy::MemoryStrategy
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(AllocatorMemoryStrategy<Alloc>)

  AllocatorMemoryStrategy() = default;
  explicit AllocatorMemoryStrategy(std::shared_ptr<Alloc>) {}
};

}  // namespace allocator_memory_strategy
}  // namespace memory_strategies
}  // namespace rclcpp

#endif  // RCLCPP__STRATEGIES__ALLOCATOR_MEMORY_STRATEGY_HPP_
