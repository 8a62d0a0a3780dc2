#include "events.hpp"

#include <type_traits>
#include <utility>

namespace rclcpp
{
namespace detail
{
namespace
{

/// Returns a number in the type of a field.
template<typename To, typename From>
void put(To & field, From number) {field = static_cast<To>(number);}

template<typename Info>
void fill(Info & info, const saltus_event_t & event)
{
  put(info.total_count, event.total);
  put(info.total_count_change, event.total_change);
}

// It is the status of publishers and of subscriptions.
static_assert(std::is_same_v<QOSOfferedIncompatibleQoSInfo, QOSRequestedIncompatibleQoSInfo>);
void fill(QOSOfferedIncompatibleQoSInfo & info, const saltus_event_t & event)
{
  put(info.total_count, event.total);
  put(info.total_count_change, event.total_change);
  info.last_policy_kind = static_cast<rmw_qos_policy_kind_t>(event.policy);
}

void fill(MatchedInfo & info, const saltus_event_t & event)
{
  put(info.total_count, event.total);
  put(info.total_count_change, event.total_change);
  put(info.current_count, event.current);
  put(info.current_count_change, event.current_change);
}

void fill(QOSLivelinessChangedInfo & info, const saltus_event_t & event)
{
  put(info.alive_count, event.current);
  put(info.not_alive_count, event.total);
  put(info.alive_count_change, event.current_change);
  put(info.not_alive_count_change, event.total_change);
}

/// Makes the handlers of an endpoint.
template<typename Kind>
struct Maker
{
  const Context::SharedPtr & context;
  const CallbackGroup::SharedPtr & group;
  EventHandlers<Kind> handlers;

  template<typename Info>
  void add(Kind kind, uint8_t event_kind, const std::function<void(Info &)> & callback)
  {
    if (!callback) {
      return;
    }
    auto call = [callback](const saltus_event_t & event) {
        Info info{};
        fill(info, event);
        callback(info);
      };
    const auto handler = std::make_shared<EventHandlerBase>(std::move(call), context, group);
    handlers.by_kind[kind] = handler;
    handlers.by_event[event_kind] = handler;
  }
};

}  // namespace

PublisherEventHandlers event_handlers(
  const PublisherEventCallbacks & callbacks, const Context::SharedPtr & context, const CallbackGroup::SharedPtr & group)
{
  Maker<rcl_publisher_event_type_t> maker{context, group, {}};
  maker.add(RCL_PUBLISHER_OFFERED_DEADLINE_MISSED, SALTUS_EVENT_DEADLINE_MISSED, callbacks.deadline_callback);
  maker.add(RCL_PUBLISHER_LIVELINESS_LOST, SALTUS_EVENT_LIVELINESS_LOST, callbacks.liveliness_callback);
  maker.add(RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS, SALTUS_EVENT_INCOMPATIBLE_QOS, callbacks.incompatible_qos_callback);
  maker.add(RCL_PUBLISHER_INCOMPATIBLE_TYPE, SALTUS_EVENT_INCOMPATIBLE_TYPE, callbacks.incompatible_type_callback);
  maker.add(RCL_PUBLISHER_MATCHED, SALTUS_EVENT_MATCHED, callbacks.matched_callback);
  return std::move(maker.handlers);
}

SubscriptionEventHandlers event_handlers(
  const SubscriptionEventCallbacks & callbacks, const Context::SharedPtr & context,
  const CallbackGroup::SharedPtr & group)
{
  Maker<rcl_subscription_event_type_t> maker{context, group, {}};
  maker.add(RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED, SALTUS_EVENT_DEADLINE_MISSED, callbacks.deadline_callback);
  maker.add(RCL_SUBSCRIPTION_LIVELINESS_CHANGED, SALTUS_EVENT_LIVELINESS_CHANGED, callbacks.liveliness_callback);
  maker.add(
    RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS, SALTUS_EVENT_INCOMPATIBLE_QOS, callbacks.incompatible_qos_callback);
  maker.add(RCL_SUBSCRIPTION_MESSAGE_LOST, SALTUS_EVENT_MESSAGE_LOST, callbacks.message_lost_callback);
  maker.add(RCL_SUBSCRIPTION_INCOMPATIBLE_TYPE, SALTUS_EVENT_INCOMPATIBLE_TYPE, callbacks.incompatible_type_callback);
  maker.add(RCL_SUBSCRIPTION_MATCHED, SALTUS_EVENT_MATCHED, callbacks.matched_callback);
  return std::move(maker.handlers);
}

}  // namespace detail

EventHandlerBase::EventHandlerBase(Call call, Context::SharedPtr context, CallbackGroup::SharedPtr group)
: call_(std::move(call)), group_(std::move(group)), guard_condition_(context) {}

EventHandlerBase::~EventHandlerBase() = default;

void EventHandlerBase::add_to_wait_set(rcl_wait_set_t & wait_set)
{
  {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (kept_) {
      // The wait set before has taken the trigger, but the program has not taken the event.
      guard_condition_.trigger();
    }
  }
  guard_condition_.add_to_wait_set(wait_set);
}

bool EventHandlerBase::is_ready(const rcl_wait_set_t &)
{
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return kept_ != nullptr;
}

std::shared_ptr<void> EventHandlerBase::take_data()
{
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return std::exchange(kept_, nullptr);
}

std::shared_ptr<void> EventHandlerBase::take_data_by_entity_id(size_t) {return take_data();}

void EventHandlerBase::execute(const std::shared_ptr<void> & data)
{
  if (!data) {
    throw std::runtime_error("'data' is empty");
  }
  call_(*std::static_pointer_cast<saltus_event_t>(data));
}

void EventHandlerBase::set_on_ready_callback(std::function<void(size_t, int)> callback)
{
  if (!callback) {
    throw std::invalid_argument("The callback passed to set_on_ready_callback is not callable.");
  }
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  on_ready_ = callback;
  if (kept_) {
    callback(1, 0);
  }
}

void EventHandlerBase::clear_on_ready_callback()
{
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  on_ready_ = nullptr;
}

void EventHandlerBase::keep(const saltus_event_t & event)
{
  auto kept = std::make_shared<saltus_event_t>(event);
  if (kept_) {
    kept->total_change += kept_->total_change;
    kept->current_change += kept_->current_change;
  }
  kept_ = std::move(kept);
}

void EventHandlerBase::receive(const saltus_event_t & event)
{
  std::unique_lock<std::recursive_mutex> lock(mutex_);
  keep(event);
  if (on_ready_) {
    // A copy, because the function may clear itself.
    const auto on_ready = on_ready_;
    on_ready(1, 0);
  } else if (is_in_use_by_wait_set()) {
    lock.unlock();
    guard_condition_.trigger();
  } else {
    const auto all = std::exchange(kept_, nullptr);
    lock.unlock();
    call_(*all);
  }
}

}  // namespace rclcpp
