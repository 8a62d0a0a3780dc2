#include "events.hpp"

namespace rclcpp::detail
{
namespace
{

/// Returns a number in the type of a field.
template<typename To, typename From>
void put(To & field, From number) {field = static_cast<To>(number);}

template<typename Info, typename Callback>
void call_counted(const Callback & callback, const saltus_event_t & event)
{
  if (callback) {
    Info info{};
    put(info.total_count, event.total);
    put(info.total_count_change, event.total_change);
    callback(info);
  }
}

template<typename Info, typename Callback>
void call_incompatible(const Callback & callback, const saltus_event_t & event)
{
  if (callback) {
    Info info{};
    put(info.total_count, event.total);
    put(info.total_count_change, event.total_change);
    info.last_policy_kind = static_cast<rmw_qos_policy_kind_t>(event.policy);
    callback(info);
  }
}

template<typename Callback>
void call_matched(const Callback & callback, const saltus_event_t & event)
{
  if (callback) {
    MatchedInfo info{};
    put(info.total_count, event.total);
    put(info.total_count_change, event.total_change);
    put(info.current_count, event.current);
    put(info.current_count_change, event.current_change);
    callback(info);
  }
}

void call_liveliness(const QOSLivelinessChangedCallbackType & callback, const saltus_event_t & event)
{
  if (callback) {
    QOSLivelinessChangedInfo info{};
    put(info.alive_count, event.current);
    put(info.not_alive_count, event.total);
    put(info.alive_count_change, event.current_change);
    put(info.not_alive_count_change, event.total_change);
    callback(info);
  }
}

}  // namespace

bool has_callbacks(const SubscriptionEventCallbacks & callbacks)
{
  return callbacks.deadline_callback || callbacks.liveliness_callback || callbacks.incompatible_qos_callback ||
         callbacks.message_lost_callback || callbacks.incompatible_type_callback || callbacks.matched_callback;
}

bool has_callbacks(const PublisherEventCallbacks & callbacks)
{
  return callbacks.deadline_callback || callbacks.liveliness_callback || callbacks.incompatible_qos_callback ||
         callbacks.incompatible_type_callback || callbacks.matched_callback;
}

void call_with_event(const SubscriptionEventCallbacks & callbacks, const saltus_event_t & event)
{
  switch (event.kind) {
    case SALTUS_EVENT_DEADLINE_MISSED:
      return call_counted<QOSDeadlineRequestedInfo>(callbacks.deadline_callback, event);
    case SALTUS_EVENT_LIVELINESS_CHANGED:
      return call_liveliness(callbacks.liveliness_callback, event);
    case SALTUS_EVENT_INCOMPATIBLE_QOS:
      return call_incompatible<QOSRequestedIncompatibleQoSInfo>(callbacks.incompatible_qos_callback, event);
    case SALTUS_EVENT_INCOMPATIBLE_TYPE:
      return call_counted<IncompatibleTypeInfo>(callbacks.incompatible_type_callback, event);
    case SALTUS_EVENT_MESSAGE_LOST:
      return call_counted<QOSMessageLostInfo>(callbacks.message_lost_callback, event);
    case SALTUS_EVENT_MATCHED:
      return call_matched(callbacks.matched_callback, event);
    default:
      return;
  }
}

void call_with_event(const PublisherEventCallbacks & callbacks, const saltus_event_t & event)
{
  switch (event.kind) {
    case SALTUS_EVENT_DEADLINE_MISSED:
      return call_counted<QOSDeadlineOfferedInfo>(callbacks.deadline_callback, event);
    case SALTUS_EVENT_LIVELINESS_LOST:
      return call_counted<QOSLivelinessLostInfo>(callbacks.liveliness_callback, event);
    case SALTUS_EVENT_INCOMPATIBLE_QOS:
      return call_incompatible<QOSOfferedIncompatibleQoSInfo>(callbacks.incompatible_qos_callback, event);
    case SALTUS_EVENT_INCOMPATIBLE_TYPE:
      return call_counted<IncompatibleTypeInfo>(callbacks.incompatible_type_callback, event);
    case SALTUS_EVENT_MATCHED:
      return call_matched(callbacks.matched_callback, event);
    default:
      return;
  }
}

}  // namespace rclcpp::detail
