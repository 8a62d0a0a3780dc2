#ifndef RCLCPP__MESSAGE_MEMORY_STRATEGY_HPP_
#define RCLCPP__MESSAGE_MEMORY_STRATEGY_HPP_

#include <memory>

#include "rclcpp/macros.hpp"

namespace rclcpp
{
namespace message_memory_strategy
{

/// How a subscription gets memory for messages. Saltus uses its own; the type exists for code that names it.
template<typename MessageT, typename Alloc = std::allocator<void>>
class MessageMemoryStrategy
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(MessageMemoryStrategy)

  MessageMemoryStrategy() = default;
  explicit MessageMemoryStrategy(std::shared_ptr<Alloc>) {}
  virtual ~MessageMemoryStrategy() = default;

  static SharedPtr create_default() {return std::make_shared<MessageMemoryStrategy<MessageT, Alloc>>();}
  virtual std::shared_ptr<MessageT> borrow_message() {return std::make_shared<MessageT>();}
  virtual void return_message(std::shared_ptr<MessageT> & msg) {msg.reset();}
};

}  // namespace message_memory_strategy
}  // namespace rclcpp

#endif  // RCLCPP__MESSAGE_MEMORY_STRATEGY_HPP_
