#ifndef RCLCPP__MESSAGE_MEMORY_STRATEGY_HPP_
#define RCLCPP__MESSAGE_MEMORY_STRATEGY_HPP_

#include <cstddef>
#include <memory>

#include "rclcpp/allocator/allocator_common.hpp"
#include "rclcpp/allocator/allocator_deleter.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/serialized_message.hpp"

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

  using MessageAllocTraits = allocator::AllocRebind<MessageT, Alloc>;
  using MessageAlloc = typename MessageAllocTraits::allocator_type;
  using MessageDeleter = allocator::Deleter<MessageAlloc, MessageT>;
  using SerializedMessageAllocTraits = allocator::AllocRebind<rclcpp::SerializedMessage, Alloc>;
  using SerializedMessageAlloc = typename SerializedMessageAllocTraits::allocator_type;
  using BufferAllocTraits = allocator::AllocRebind<char, Alloc>;
  using BufferAlloc = typename BufferAllocTraits::allocator_type;

  MessageMemoryStrategy()
  : MessageMemoryStrategy(std::make_shared<Alloc>()) {}
  explicit MessageMemoryStrategy(std::shared_ptr<Alloc> allocator)
  : message_allocator_(std::make_shared<MessageAlloc>(*allocator)),
    serialized_message_allocator_(std::make_shared<SerializedMessageAlloc>(*allocator)),
    buffer_allocator_(std::make_shared<BufferAlloc>(*allocator)) {}
  virtual ~MessageMemoryStrategy() = default;

  static SharedPtr create_default() {return std::make_shared<MessageMemoryStrategy<MessageT, Alloc>>();}
  virtual std::shared_ptr<MessageT> borrow_message()
  {
    return std::allocate_shared<MessageT, MessageAlloc>(*message_allocator_);
  }
  /// Returns bytes of a message, with memory for `capacity` of them.
  virtual std::shared_ptr<rclcpp::SerializedMessage> borrow_serialized_message(size_t capacity)
  {
    return std::make_shared<rclcpp::SerializedMessage>(capacity);
  }
  virtual std::shared_ptr<rclcpp::SerializedMessage> borrow_serialized_message()
  {
    return borrow_serialized_message(default_buffer_capacity_);
  }
  virtual void set_default_buffer_capacity(size_t capacity) {default_buffer_capacity_ = capacity;}
  virtual void return_message(std::shared_ptr<MessageT> & msg) {msg.reset();}
  virtual void return_serialized_message(std::shared_ptr<rclcpp::SerializedMessage> & serialized_msg)
  {
    serialized_msg.reset();
  }

  std::shared_ptr<MessageAlloc> message_allocator_;
  MessageDeleter message_deleter_;
  std::shared_ptr<SerializedMessageAlloc> serialized_message_allocator_;
  std::shared_ptr<BufferAlloc> buffer_allocator_;
  size_t default_buffer_capacity_ = 0;
};

}  // namespace message_memory_strategy
}  // namespace rclcpp

#endif  // RCLCPP__MESSAGE_MEMORY_STRATEGY_HPP_
