#ifndef RCLCPP__EVENT_HANDLER_HPP_
#define RCLCPP__EVENT_HANDLER_HPP_

#include <functional>
#include <memory>
#include <mutex>

#include "rcl/event.h"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rclcpp/waitable.hpp"
#include "rmw/events_statuses/events_statuses.h"
#include "rmw/incompatible_qos_events_statuses.h"

struct saltus_event_t;

namespace rclcpp
{

using exceptions::UnsupportedEventTypeException;

using QOSDeadlineRequestedInfo = rmw_requested_deadline_missed_status_t;
using QOSDeadlineOfferedInfo = rmw_offered_deadline_missed_status_t;
using QOSLivelinessChangedInfo = rmw_liveliness_changed_status_t;
using QOSLivelinessLostInfo = rmw_liveliness_lost_status_t;
using QOSMessageLostInfo = rmw_message_lost_status_t;
using QOSOfferedIncompatibleQoSInfo = rmw_offered_qos_incompatible_event_status_t;
using QOSRequestedIncompatibleQoSInfo = rmw_requested_qos_incompatible_event_status_t;
using IncompatibleTypeInfo = rmw_incompatible_type_status_t;
using MatchedInfo = rmw_matched_status_t;

using QOSDeadlineRequestedCallbackType = std::function<void (QOSDeadlineRequestedInfo &)>;
using QOSDeadlineOfferedCallbackType = std::function<void (QOSDeadlineOfferedInfo &)>;
using QOSLivelinessChangedCallbackType = std::function<void (QOSLivelinessChangedInfo &)>;
using QOSLivelinessLostCallbackType = std::function<void (QOSLivelinessLostInfo &)>;
using QOSMessageLostCallbackType = std::function<void (QOSMessageLostInfo &)>;
using QOSOfferedIncompatibleQoSCallbackType = std::function<void (QOSOfferedIncompatibleQoSInfo &)>;
using QOSRequestedIncompatibleQoSCallbackType = std::function<void (QOSRequestedIncompatibleQoSInfo &)>;
using IncompatibleTypeCallbackType = std::function<void (IncompatibleTypeInfo &)>;
using PublisherMatchedCallbackType = std::function<void (MatchedInfo &)>;
using SubscriptionMatchedCallbackType = std::function<void (MatchedInfo &)>;

/// The callbacks for the events of a publisher.
struct PublisherEventCallbacks
{
  QOSDeadlineOfferedCallbackType deadline_callback;
  QOSLivelinessLostCallbackType liveliness_callback;
  QOSOfferedIncompatibleQoSCallbackType incompatible_qos_callback;
  IncompatibleTypeCallbackType incompatible_type_callback;
  PublisherMatchedCallbackType matched_callback;
};

/// The callbacks for the events of a subscription.
struct SubscriptionEventCallbacks
{
  QOSDeadlineRequestedCallbackType deadline_callback;
  QOSLivelinessChangedCallbackType liveliness_callback;
  QOSRequestedIncompatibleQoSCallbackType incompatible_qos_callback;
  QOSMessageLostCallbackType message_lost_callback;
  IncompatibleTypeCallbackType incompatible_type_callback;
  SubscriptionMatchedCallbackType matched_callback;
};

/// The events of one kind that an endpoint has. The executor of the endpoint calls the callback with each event. But if a wait set
/// has the handler, or a function was set that learns of events, the program takes and executes them. Events that nobody has taken
/// become one: the last state, with the sum of the changes.
class RCLCPP_PUBLIC EventHandlerBase : public Waitable
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(EventHandlerBase)

  using Call = std::function<void (const saltus_event_t &)>;

  /// `call` calls the callback with an event. `group` is that of the endpoint.
  EventHandlerBase(Call call, Context::SharedPtr context, CallbackGroup::SharedPtr group);
  ~EventHandlerBase() override;

  size_t get_number_of_ready_guard_conditions() override {return 1;}
  void add_to_wait_set(rcl_wait_set_t & wait_set) override;
  bool is_ready(const rcl_wait_set_t & wait_set) override;
  /// Takes what has happened, or nothing.
  std::shared_ptr<void> take_data() override;
  std::shared_ptr<void> take_data_by_entity_id(size_t id) override;
  /// Calls the callback with an event that was taken.
  void execute(const std::shared_ptr<void> & data) override;
  void set_on_ready_callback(std::function<void(size_t, int)> callback) override;
  void clear_on_ready_callback() override;

  /// Receives an event of the endpoint.
  void receive(const saltus_event_t & event);
  const CallbackGroup::SharedPtr & group() const {return group_;}

private:
  void keep(const saltus_event_t & event);

  const Call call_;
  const CallbackGroup::SharedPtr group_;
  GuardCondition guard_condition_;
  /// It is held while `on_ready_` runs, so that this has ended when it was cleared.
  std::recursive_mutex mutex_;
  std::function<void(size_t, int)> on_ready_;
  /// What waits to be taken.
  std::shared_ptr<saltus_event_t> kept_;
};

}  // namespace rclcpp

#endif  // RCLCPP__EVENT_HANDLER_HPP_
