#ifndef RCLCPP__PUBLISHER_HPP_
#define RCLCPP__PUBLISHER_HPP_

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
    if (!msg) {
      throw std::runtime_error("cannot publish msg which is a null pointer");
    }
    this->do_publish(*msg);
  }

  template<typename T>
  std::enable_if_t<rosidl_generator_traits::is_message<T>::value && std::is_same_v<T, ROSMessageType>>
  publish(const T & msg)
  {
    this->do_publish(msg);
  }

  template<typename T>
  std::enable_if_t<rclcpp::TypeAdapter<MessageT>::is_specialized::value && std::is_same_v<T, PublishedType>>
  publish(std::unique_ptr<T, PublishedTypeDeleter> msg)
  {
    if (!msg) {
      throw std::runtime_error("cannot publish msg which is a null pointer");
    }
    this->publish(*msg);
  }

  template<typename T>
  std::enable_if_t<rclcpp::TypeAdapter<MessageT>::is_specialized::value && std::is_same_v<T, PublishedType>>
  publish(const T & msg)
  {
    detail::LocalMessage<ROSMessageType> message;
    rclcpp::TypeAdapter<MessageT>::convert_to_ros_message(msg, *message);
    this->do_publish(*message);
  }

  void publish(const rcl_serialized_message_t & serialized_msg) {this->do_publish(serialized_msg);}
  void publish(const SerializedMessage & serialized_msg)
  {
    this->do_publish(serialized_msg.get_rcl_serialized_message());
  }

  void publish(rclcpp::LoanedMessage<ROSMessageType, AllocatorT> && loaned_msg)
  {
    if (!loaned_msg.is_valid()) {
      throw std::runtime_error("loaned message is not valid");
    }
    auto message = loaned_msg.release();
    this->do_publish(*message);
  }

protected:
  virtual void do_publish(const ROSMessageType & message) {publish_message(&message);}
  virtual void do_publish(const rcl_serialized_message_t & serialized_msg) {publish_bytes(serialized_msg);}
};

}  // namespace rclcpp

#endif  // RCLCPP__PUBLISHER_HPP_
