#ifndef RCLCPP__PUBLISHER_HPP_
#define RCLCPP__PUBLISHER_HPP_

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/allocator/allocator_common.hpp"
#include "rclcpp/allocator/allocator_deleter.hpp"
#include "rclcpp/get_message_type_support_handle.hpp"
#include "rclcpp/is_ros_compatible_type.hpp"
#include "rclcpp/detail/local_message.hpp"
#include "rclcpp/loaned_message.hpp"
#include "rclcpp/publisher_base.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/serialized_message.hpp"

namespace rclcpp
{

/// A publisher of a topic. Its functions may be called on any thread.
template<typename MessageT, typename AllocatorT = std::allocator<void>>
class Publisher : public PublisherBase
{
public:
  static_assert(
    rclcpp::is_ros_compatible_type<MessageT>::value,
    "given message type is not compatible with ROS and cannot be used with a Publisher");

  using PublishedType = typename rclcpp::TypeAdapter<MessageT>::custom_type;
  using ROSMessageType = typename rclcpp::TypeAdapter<MessageT>::ros_message_type;
  using PublishedTypeAllocatorTraits = allocator::AllocRebind<PublishedType, AllocatorT>;
  using PublishedTypeAllocator = typename PublishedTypeAllocatorTraits::allocator_type;
  using PublishedTypeDeleter = allocator::Deleter<PublishedTypeAllocator, PublishedType>;
  using ROSMessageTypeAllocatorTraits = allocator::AllocRebind<ROSMessageType, AllocatorT>;
  using ROSMessageTypeAllocator = typename ROSMessageTypeAllocatorTraits::allocator_type;
  using ROSMessageTypeDeleter = allocator::Deleter<ROSMessageTypeAllocator, ROSMessageType>;
  using MessageDeleter = ROSMessageTypeDeleter;
  using MessageUniquePtr = std::unique_ptr<ROSMessageType, ROSMessageTypeDeleter>;
  using MessageSharedPtr = std::shared_ptr<const ROSMessageType>;

  RCLCPP_SMART_PTR_DEFINITIONS(Publisher<MessageT, AllocatorT>)

  Publisher(
    node_interfaces::NodeBaseInterface * node_base, const std::string & topic, const QoS & qos,
    const PublisherOptionsWithAllocator<AllocatorT> & options)
  : PublisherBase(node_base, topic, *get_message_type_support_handle<MessageT>(), qos, options) {}

  /// Returns a message to fill, and to publish.
  LoanedMessage<ROSMessageType, AllocatorT> borrow_loaned_message()
  {
    return LoanedMessage<ROSMessageType, AllocatorT>(*this);
  }

  /// \throws rclcpp::exceptions::RCLError if the message can't be published; after a shutdown nothing is thrown. So do the others.
  template<typename T>
  std::enable_if_t<
    rosidl_generator_traits::is_message<T>::value && std::is_same_v<T, ROSMessageType>>
  publish(std::unique_ptr<T, ROSMessageTypeDeleter> msg)
  {
    check_not_null(msg.get());
    if (!this->may_publish()) {
      return;
    }
    if constexpr (std::is_same_v<ROSMessageTypeDeleter, std::default_delete<T>>) {
      if (auto * sender = this->intra_process_sender()) {
        const ROSMessageType & message = *msg;
        publish_then(message, [&] {give(sender->receivers(typeid(ROSMessageType)), std::move(msg));});
        return;
      }
    }
    publish_ros_message(*msg);
  }

  template<typename T>
  std::enable_if_t<rosidl_generator_traits::is_message<T>::value && std::is_same_v<T, ROSMessageType>>
  publish(const T & msg)
  {
    if (this->may_publish()) {
      publish_ros_message(msg);
    }
  }

  template<typename T>
  std::enable_if_t<rclcpp::TypeAdapter<MessageT>::is_specialized::value && std::is_same_v<T, PublishedType>>
  publish(std::unique_ptr<T, PublishedTypeDeleter> msg)
  {
    check_not_null(msg.get());
    if (!this->may_publish()) {
      return;
    }
    if constexpr (std::is_same_v<PublishedTypeDeleter, std::default_delete<T>>) {
      if (auto * sender = this->intra_process_sender()) {
        const PublishedType & message = *msg;
        give_custom(*sender, message, [&] {return std::move(msg);});
        return;
      }
    }
    publish_custom(*msg);
  }

  template<typename T>
  std::enable_if_t<rclcpp::TypeAdapter<MessageT>::is_specialized::value && std::is_same_v<T, PublishedType>>
  publish(const T & msg)
  {
    if (this->may_publish()) {
      publish_custom(msg);
    }
  }

  /// Publishes the bytes of a message, in any state of the publisher.
  void publish(const rcl_serialized_message_t & serialized_msg)
  {
    auto * sender = this->intra_process_sender();
    const auto receivers = sender ? sender->receivers(typeid(ROSMessageType)) : detail::IntraProcessReceivers();
    if (!receivers.empty()) {
      auto message = std::make_unique<ROSMessageType>();
      this->read_bytes(serialized_msg, message.get());
      give(receivers, std::move(message));
    }
    this->publish_bytes(serialized_msg);
  }
  void publish(const SerializedMessage & serialized_msg)
  {
    this->publish(serialized_msg.get_rcl_serialized_message());
  }

  void publish(rclcpp::LoanedMessage<ROSMessageType, AllocatorT> && loaned_msg)
  {
    if (!loaned_msg.is_valid()) {
      throw std::runtime_error("loaned message is not valid");
    }
    auto message = loaned_msg.release();
    if constexpr (std::is_same_v<ROSMessageTypeDeleter, std::default_delete<ROSMessageType>>) {
      this->publish(std::unique_ptr<ROSMessageType>(message.release()));
    } else {
      this->publish(*message);
    }
  }

private:
  static void check_not_null(const void * message)
  {
    if (message == nullptr) {
      throw std::runtime_error("cannot publish msg which is a null pointer");
    }
  }

  /// Gives a message to subscriptions of this process.
  template<typename M>
  void give(const detail::IntraProcessReceivers & receivers, std::unique_ptr<M> message)
  {
    if (!receivers.empty()) {
      receivers.give(std::move(message), this->intra_process_info());
    }
  }

  /// Publishes a message elsewhere, and then does the rest, also if that has failed.
  template<typename Rest>
  void publish_then(const ROSMessageType & message, Rest rest)
  {
    std::exception_ptr failure;
    try {
      this->publish_message_elsewhere(&message);
    } catch (...) {
      failure = std::current_exception();
    }
    rest();
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  void publish_ros_message(const ROSMessageType & message)
  {
    auto * sender = this->intra_process_sender();
    if (sender == nullptr) {
      this->publish_message(&message);
      return;
    }
    publish_then(
      message, [&] {
        const auto receivers = sender->receivers(typeid(ROSMessageType));
        if (!receivers.empty()) {
          give(receivers, std::make_unique<ROSMessageType>(message));
        }
      });
  }

  void publish_custom(const PublishedType & message)
  {
    if (auto * sender = this->intra_process_sender()) {
      give_custom(*sender, message, [&] {return std::make_unique<PublishedType>(message);});
      return;
    }
    detail::LocalMessage<ROSMessageType> converted;
    rclcpp::TypeAdapter<MessageT>::convert_to_ros_message(message, *converted);
    this->publish_message(&*converted);
  }

  /// Gives a message to the subscriptions that take its type, as `owned` returns it, and converts it for all others.
  template<typename Owned>
  void give_custom(detail::IntraProcessSender & sender, const PublishedType & message, Owned owned)
  {
    const auto receivers = sender.receivers_of(typeid(PublishedType), typeid(ROSMessageType));
    const auto give_as_it_is = [&] {
        if (!receivers.first.empty()) {
          give(receivers.first, owned());
        }
      };
    if (receivers.second.empty() && !this->has_subscriptions_elsewhere()) {
      give_as_it_is();
      return;
    }
    auto converted = std::make_unique<ROSMessageType>();
    rclcpp::TypeAdapter<MessageT>::convert_to_ros_message(message, *converted);
    const ROSMessageType & ros_message = *converted;
    publish_then(
      ros_message, [&] {
        give(receivers.second, std::move(converted));
        give_as_it_is();
      });
  }
};

}  // namespace rclcpp

#endif  // RCLCPP__PUBLISHER_HPP_
