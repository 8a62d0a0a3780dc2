#ifndef RCLCPP__SUBSCRIPTION_OPTIONS_HPP_
#define RCLCPP__SUBSCRIPTION_OPTIONS_HPP_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/event_handler.hpp"
#include "rclcpp/intra_process_setting.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/qos_overriding_options.hpp"
#include "rclcpp/topic_statistics_state.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/types.h"

namespace rclcpp
{

/// A filter for messages by their content. Saltus has none: a subscription with one is refused.
struct ContentFilterOptions
{
  std::string filter_expression;
  std::vector<std::string> expression_parameters;
};

/// The options of a subscription that do not depend on its allocator.
struct SubscriptionOptionsBase
{
  SubscriptionEventCallbacks event_callbacks;
  /// Whether a warning is logged for a publisher whose QoS does not fit.
  bool use_default_callbacks = true;
  /// Whether messages of the same context are left out.
  bool ignore_local_publications = false;
  /// Has no effect: there is no network.
  rmw_unique_network_flow_endpoints_requirement_t require_unique_network_flow_endpoints =
    RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_NOT_REQUIRED;
  /// The callback group of the callbacks; the default group of the node if there is none.
  rclcpp::CallbackGroup::SharedPtr callback_group = nullptr;
  /// Whether it gets pointers from publishers of this process. It does not if it ignores local publications.
  IntraProcessSetting use_intra_process_comm = IntraProcessSetting::NodeDefault;
  IntraProcessBufferType intra_process_buffer_type = IntraProcessBufferType::CallbackDefault;
  std::shared_ptr<void> rmw_implementation_payload = nullptr;

  /// Whether the age of the messages and the time between them are measured, and published. It also applies to a subscription by the
  /// name of a type.
  struct TopicStatisticsOptions
  {
    TopicStatisticsState state = TopicStatisticsState::NodeDefault;
    std::string publish_topic = "/statistics";
    std::chrono::milliseconds publish_period{std::chrono::seconds(1)};
    rclcpp::QoS qos = SystemDefaultsQoS().keep_last(10);
  };
  TopicStatisticsOptions topic_stats_options;
  QosOverridingOptions qos_overriding_options;
  ContentFilterOptions content_filter_options;
};

template<typename Allocator>
struct SubscriptionOptionsWithAllocator : public SubscriptionOptionsBase
{
  std::shared_ptr<Allocator> allocator = nullptr;

  SubscriptionOptionsWithAllocator() = default;
  explicit SubscriptionOptionsWithAllocator(const SubscriptionOptionsBase & subscription_options_base)
  : SubscriptionOptionsBase(subscription_options_base) {}

  std::shared_ptr<Allocator> get_allocator() const
  {
    return allocator ? allocator : std::make_shared<Allocator>();
  }
};

using SubscriptionOptions = SubscriptionOptionsWithAllocator<std::allocator<void>>;

}  // namespace rclcpp

#endif  // RCLCPP__SUBSCRIPTION_OPTIONS_HPP_
