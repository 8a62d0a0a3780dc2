#ifndef RCLCPP__PUBLISHER_BASE_HPP_
#define RCLCPP__PUBLISHER_BASE_HPP_

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rcl/types.h"
#include "rclcpp/detail/intra_process.hpp"
#include "rclcpp/event_handler.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/network_flow_endpoint.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/types.h"
#include "rosidl_runtime_c/message_type_support_struct.h"

struct rcl_publisher_s;
struct saltus_publisher_t;

namespace rclcpp
{

/// What publishers of all types have in common.
class RCLCPP_PUBLIC PublisherBase : public std::enable_shared_from_this<PublisherBase>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(PublisherBase)

  PublisherBase(
    node_interfaces::NodeBaseInterface * node_base, const std::string & topic,
    const rosidl_message_type_support_t & type_support, const QoS & qos, const PublisherOptionsBase & options);
  PublisherBase(const PublisherBase &) = delete;
  PublisherBase & operator=(const PublisherBase &) = delete;
  virtual ~PublisherBase();

  /// Opens the publisher. It is called once, by the function that creates it.
  void open();
  /// Ends the publisher. A callback that runs on another thread has returned when this returns.
  void close();

  const char * get_topic_name() const;
  /// \throws rclcpp::exceptions::RCLError always: endpoints have no addresses of their own
  std::vector<rclcpp::NetworkFlowEndpoint> get_network_flow_endpoints() const;
  /// Returns the handlers of the events that have a callback.
  const std::unordered_map<rcl_publisher_event_type_t, std::shared_ptr<rclcpp::EventHandlerBase>> &
  get_event_handlers() const;
  size_t get_queue_size() const;
  const rmw_gid_t & get_gid() const;
  rclcpp::QoS get_actual_qos() const;
  /// Returns how many subscriptions are connected.
  size_t get_subscription_count() const;
  /// Returns how many subscriptions of this process get messages as pointers.
  size_t get_intra_process_subscription_count() const;
  bool is_durability_transient_local() const;
  /// Says that the publisher is alive. Returns true.
  bool assert_liveliness() const;
  /// Always false: a C++ message can't be built in shared memory. Native publishers build in place.
  bool can_loan_messages() const {return false;}
  bool operator==(const rmw_gid_t & gid) const;
  bool operator==(const rmw_gid_t * gid) const;
  /// Waits until every reliable subscription has taken every message. A negative timeout is none.
  template<typename DurationRepT = int64_t, typename DurationT = std::milli>
  bool wait_for_all_acked(
    std::chrono::duration<DurationRepT, DurationT> timeout =
    std::chrono::duration<DurationRepT, DurationT>(-1)) const
  {
    return wait_until_acked(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }
  /// Returns for how many messages there is room in the fullest queue within the process; 0 if there is no such queue.
  size_t lowest_available_ipm_capacity() const;

  /// Returns the publisher of libsaltus.
  saltus_publisher_t * get_saltus_publisher() const {return handle_;}
  std::shared_ptr<rcl_publisher_s> get_publisher_handle();
  std::shared_ptr<const rcl_publisher_s> get_publisher_handle() const;

protected:
  /// Whether messages may be published now. If not, it tells the program why.
  virtual bool may_publish() {return true;}
  /// Publishes a message of the type. After a shutdown it does nothing.
  void publish_message(const void * message);
  /// Same, but not to subscriptions of this process that get it as a pointer. Does nothing if there are no others.
  void publish_message_elsewhere(const void * message);
  /// Whether a message must be converted for publish_message_elsewhere().
  bool has_subscriptions_elsewhere() const;
  /// Returns what gives messages to subscriptions of this process as pointers, or NULL.
  detail::IntraProcessSender * intra_process_sender() const {return intra_process_sender_.get();}
  /// Returns the information about a message that is published now.
  MessageInfo intra_process_info() const;
  /// Reads the bytes of a message.
  void read_bytes(const rcl_serialized_message_t & serialized_msg, void * message) const;
  /// Publishes the bytes of a message.
  void publish_bytes(const rcl_serialized_message_t & serialized_msg);

private:
  struct State;
  friend struct PublisherCalls;

  bool wait_until_acked(std::chrono::nanoseconds timeout) const;
  void check(int status) const;

  std::shared_ptr<saltus_node_t> node_;
  const rosidl_message_type_support_t * type_support_;
  std::unique_ptr<State> state_;
  std::unique_ptr<detail::IntraProcessSender> intra_process_sender_;
  saltus_publisher_t * handle_ = nullptr;
};

}  // namespace rclcpp

#endif  // RCLCPP__PUBLISHER_BASE_HPP_
