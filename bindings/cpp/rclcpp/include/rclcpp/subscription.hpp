#ifndef RCLCPP__SUBSCRIPTION_HPP_
#define RCLCPP__SUBSCRIPTION_HPP_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rclcpp/any_subscription_callback.hpp"
#include "rclcpp/detail/local_message.hpp"
#include "rclcpp/get_message_type_support_handle.hpp"
#include "rclcpp/is_ros_compatible_type.hpp"
#include "rclcpp/message_memory_strategy.hpp"
#include "rclcpp/subscription_base.hpp"
#include "rclcpp/subscription_options.hpp"

namespace rclcpp
{

/// A subscription to a topic.
template<
  typename MessageT, typename AllocatorT = std::allocator<void>,
  typename SubscribedT = typename TypeAdapter<MessageT>::custom_type,
  typename ROSMessageT = typename TypeAdapter<MessageT>::ros_message_type,
  typename MessageMemoryStrategyT = message_memory_strategy::MessageMemoryStrategy<ROSMessageT, AllocatorT>>
class Subscription : public SubscriptionBase
{
public:
  using SubscribedType = SubscribedT;
  using ROSMessageType = ROSMessageT;
  using MessageMemoryStrategyType = MessageMemoryStrategyT;

  RCLCPP_SMART_PTR_DEFINITIONS(Subscription)

  Subscription(
    node_interfaces::NodeBaseInterface * node_base, const rosidl_message_type_support_t & type_support_handle,
    const std::string & topic_name, const QoS & qos, AnySubscriptionCallback<MessageT, AllocatorT> callback,
    const SubscriptionOptionsWithAllocator<AllocatorT> & options)
  : SubscriptionBase(
      node_base, type_support_handle, topic_name, qos, options, callback.is_serialized_message_callback()),
    callback_(std::move(callback)) {}

  /// Takes the oldest message. Returns false if there is none.
  bool take(ROSMessageType & message_out, rclcpp::MessageInfo & message_info_out)
  {
    return take_type_erased(&message_out, message_info_out);
  }

  /// Takes the oldest message as the type that stands for it. Returns false if there is none.
  template<typename TakeT>
  std::enable_if_t<
    !std::is_same_v<ROSMessageType, SubscribedType>&& std::is_same_v<TakeT, SubscribedType>, bool>
  take(TakeT & message_out, rclcpp::MessageInfo & message_info_out)
  {
    detail::LocalMessage<ROSMessageType> message;
    if (!take_type_erased(&*message, message_info_out)) {
      return false;
    }
    TypeAdapter<MessageT>::convert_to_custom(*message, message_out);
    return true;
  }

  std::shared_ptr<void> create_message() override {return std::make_shared<ROSMessageType>();}

  void handle_message(std::shared_ptr<void> & message, const rclcpp::MessageInfo & message_info) override
  {
    callback_.dispatch(std::static_pointer_cast<ROSMessageType>(message), message_info);
  }

  /// \throws std::runtime_error if the callback takes no bytes
  void handle_serialized_message(
    const std::shared_ptr<SerializedMessage> & serialized_message, const rclcpp::MessageInfo & message_info) override
  {
    callback_.dispatch(serialized_message, message_info);
  }

protected:
  bool deliver(const saltus_message_t & received) override
  {
    return callback_.deliver(get_message_type_support_handle(), received);
  }

  std::optional<detail::IntraProcessWants> intra_process_wants() const override
  {
    return callback_.intra_process_wants();
  }
  void deliver_intra_process(detail::IntraProcessMessage & message) override
  {
    callback_.deliver_intra_process(message);
  }
  void copy_intra_process(const detail::IntraProcessMessage & message, void * message_out) const override
  {
    auto & out = *static_cast<ROSMessageType *>(message_out);
    if constexpr (!std::is_same_v<ROSMessageType, SubscribedType>) {
      if (message.is<SubscribedType>()) {
        TypeAdapter<MessageT>::convert_to_ros_message(message.read<SubscribedType>(), out);
        return;
      }
    }
    out = message.read<ROSMessageType>();
  }

private:
  AnySubscriptionCallback<MessageT, AllocatorT> callback_;
};

}  // namespace rclcpp

#endif  // RCLCPP__SUBSCRIPTION_HPP_
