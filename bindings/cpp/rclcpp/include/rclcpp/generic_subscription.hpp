#ifndef RCLCPP__GENERIC_SUBSCRIPTION_HPP_
#define RCLCPP__GENERIC_SUBSCRIPTION_HPP_

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/any_subscription_callback.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/subscription_base.hpp"
#include "rclcpp/typesupport_helpers.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// A subscription to messages whose type the program knows only by its name. Its callback gets their bytes.
class RCLCPP_PUBLIC GenericSubscription : public SubscriptionBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericSubscription)

  /// The library has the type: see get_typesupport_library().
  template<typename AllocatorT = std::allocator<void>>
  GenericSubscription(
    node_interfaces::NodeBaseInterface * node_base, std::shared_ptr<rcpputils::SharedLibrary> ts_lib,
    const std::string & topic_name, const std::string & topic_type, const rclcpp::QoS & qos,
    AnySubscriptionCallback<SerializedMessage, AllocatorT> callback,
    const SubscriptionOptionsWithAllocator<AllocatorT> & options)
  : SubscriptionBase(
      node_base, *get_message_typesupport_handle(topic_type, "rosidl_typesupport_cpp", *ts_lib), topic_name, qos, options,
      true),
    callback_(std::move(callback)), ts_lib_(std::move(ts_lib)) {}
  /// The subscription is closed before its library is.
  ~GenericSubscription() override {close();}

  std::shared_ptr<void> create_message() override {return std::make_shared<SerializedMessage>();}
  std::shared_ptr<SerializedMessage> create_serialized_message() override
  {
    return std::make_shared<SerializedMessage>();
  }
  /// \throws rclcpp::exceptions::UnimplementedError always: use handle_serialized_message()
  void handle_message(std::shared_ptr<void> & message, const rclcpp::MessageInfo & message_info) override;
  void handle_serialized_message(
    const std::shared_ptr<SerializedMessage> & serialized_message, const rclcpp::MessageInfo & message_info) override;

protected:
  bool deliver(const saltus_message_t & received) override
  {
    return callback_.deliver(get_message_type_support_handle(), received);
  }

private:
  AnySubscriptionCallback<SerializedMessage> callback_;
  std::shared_ptr<rcpputils::SharedLibrary> ts_lib_;
};

}  // namespace rclcpp

#endif  // RCLCPP__GENERIC_SUBSCRIPTION_HPP_
