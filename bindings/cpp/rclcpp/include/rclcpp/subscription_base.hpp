#ifndef RCLCPP__SUBSCRIPTION_BASE_HPP_
#define RCLCPP__SUBSCRIPTION_BASE_HPP_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "rclcpp/detail/intra_process.hpp"
#include "rclcpp/detail/waited.hpp"
#include "rclcpp/event_handler.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/network_flow_endpoint.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/serialized_message.hpp"
#include "rclcpp/subscription_options.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rosidl_runtime_c/message_type_support_struct.h"

struct rcl_subscription_s;
struct saltus_message_t;
struct saltus_subscription_t;

namespace rclcpp
{

/// What subscriptions of all types have in common.
class RCLCPP_PUBLIC SubscriptionBase : public std::enable_shared_from_this<SubscriptionBase>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(SubscriptionBase)

  SubscriptionBase(
    node_interfaces::NodeBaseInterface * node_base, const rosidl_message_type_support_t & type_support_handle,
    const std::string & topic_name, const QoS & qos, const SubscriptionOptionsBase & options, bool is_serialized);
  SubscriptionBase(const SubscriptionBase &) = delete;
  SubscriptionBase & operator=(const SubscriptionBase &) = delete;
  virtual ~SubscriptionBase();

  /// Opens the subscription. It is called once, by the function that creates it.
  void open();
  /// Ends the subscription. A callback that runs on another thread has returned when this returns.
  void close();

  const char * get_topic_name() const;
  /// Returns the handlers of the events that have a callback.
  const std::unordered_map<rcl_subscription_event_type_t, std::shared_ptr<rclcpp::EventHandlerBase>> &
  get_event_handlers() const;
  /// Returns how many publishers are connected.
  size_t get_publisher_count() const;
  rclcpp::QoS get_actual_qos() const;
  /// \throws rclcpp::exceptions::RCLError always: endpoints have no addresses of their own
  std::vector<rclcpp::NetworkFlowEndpoint> get_network_flow_endpoints() const;
  bool is_serialized() const {return is_serialized_;}
  const rosidl_message_type_support_t & get_message_type_support_handle() const {return *type_support_;}
  /// Always false: a C++ message can't be a view of shared memory. Native subscriptions read in place.
  bool can_loan_messages() const {return false;}
  /// Always false: Saltus has no content filters.
  bool is_cft_enabled() const {return false;}
  /// \throws rclcpp::exceptions::RCLError always
  void set_content_filter(const std::string & filter_expression, const std::vector<std::string> & parameters = {});
  ContentFilterOptions get_content_filter() const;

  /// Takes the oldest message, and reads it. Returns false if there is none.
  bool take_type_erased(void * message_out, rclcpp::MessageInfo & message_info_out);
  /// Takes the bytes of the oldest message. Returns false if there is none.
  bool take_serialized(rclcpp::SerializedMessage & message_out, rclcpp::MessageInfo & message_info_out);
  /// Returns a new message.
  virtual std::shared_ptr<void> create_message() = 0;
  /// Calls the callback with a message that was taken.
  virtual void handle_message(std::shared_ptr<void> & message, const rclcpp::MessageInfo & message_info) = 0;

  /// Returns new bytes of a message.
  virtual std::shared_ptr<SerializedMessage> create_serialized_message()
  {
    return std::make_shared<SerializedMessage>();
  }
  // Programs that create a message give it back with these.
  virtual void return_message(std::shared_ptr<void> & message) {message.reset();}
  virtual void return_serialized_message(std::shared_ptr<SerializedMessage> & message) {message.reset();}
  /// Calls the callback, which takes bytes, with those of a message that was taken.
  virtual void handle_serialized_message(
    const std::shared_ptr<SerializedMessage> & serialized_message, const rclcpp::MessageInfo & message_info) = 0;
  /// Whether a wait set has a part of the subscription. Only the subscription itself is such a part. Returns whether one had it
  /// before.
  bool exchange_in_use_by_wait_set_state(void * pointer_to_subscription_part, bool in_use_state);

  /// Returns the subscription of libsaltus.
  saltus_subscription_t * get_saltus_subscription() const {return handle_;}
  std::shared_ptr<rcl_subscription_s> get_subscription_handle();
  std::shared_ptr<const rcl_subscription_s> get_subscription_handle() const;
  /// Whether a message waits to be taken.
  bool has_message() const;
  /// What a wait set needs of the subscription.
  detail::Waited & waited() {return waited_;}

protected:
  /// Calls the callback with a message that was received. Returns false if it is not one of its type.
  virtual bool deliver(const saltus_message_t & received) = 0;
  /// Returns what it takes from publishers of its process as pointers. By default it takes no pointers.
  virtual std::optional<detail::IntraProcessWants> intra_process_wants() const {return std::nullopt;}
  /// Calls the callback with a message of a publisher of its process.
  virtual void deliver_intra_process(detail::IntraProcessMessage & message);
  /// Copies a message of a publisher of its process to one of the ROS type.
  virtual void copy_intra_process(const detail::IntraProcessMessage & message, void * message_out) const;

private:
  struct State;
  friend struct SubscriptionCalls;

  std::shared_ptr<saltus_node_t> node_;
  const rosidl_message_type_support_t * type_support_;
  std::shared_ptr<saltus_message_t> take();

  std::unique_ptr<State> state_;
  detail::Waited waited_;
  saltus_subscription_t * handle_ = nullptr;
  const bool is_serialized_;
};

}  // namespace rclcpp

#endif  // RCLCPP__SUBSCRIPTION_BASE_HPP_
