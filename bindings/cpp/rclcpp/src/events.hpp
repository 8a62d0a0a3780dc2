// The events of endpoints, from the form of libsaltus to the callbacks of rclcpp.
#ifndef EVENTS_HPP_
#define EVENTS_HPP_

#include <map>
#include <memory>
#include <unordered_map>

#include "rcl/event.h"
#include "rclcpp/event_handler.hpp"
#include "saltus/saltus.h"

namespace rclcpp::detail
{

/// The handlers of an endpoint's events. `Kind` is the kind in rcl.
template<typename Kind>
struct EventHandlers
{
  std::unordered_map<Kind, std::shared_ptr<EventHandlerBase>> by_kind;
  /// The same handlers, by the kind in libsaltus.
  std::map<uint8_t, std::shared_ptr<EventHandlerBase>> by_event;

  bool empty() const {return by_kind.empty();}
  /// Gives an event to its handler, if there is one.
  void receive(const saltus_event_t & event) const
  {
    const auto found = by_event.find(event.kind);
    if (found != by_event.end()) {
      found->second->receive(event);
    }
  }
};

using PublisherEventHandlers = EventHandlers<rcl_publisher_event_type_t>;
using SubscriptionEventHandlers = EventHandlers<rcl_subscription_event_type_t>;

/// Returns a handler for each callback that is set. `group` is that of the endpoint.
PublisherEventHandlers event_handlers(
  const PublisherEventCallbacks & callbacks, const Context::SharedPtr & context, const CallbackGroup::SharedPtr & group);
SubscriptionEventHandlers event_handlers(
  const SubscriptionEventCallbacks & callbacks, const Context::SharedPtr & context,
  const CallbackGroup::SharedPtr & group);

}  // namespace rclcpp::detail

#endif  // EVENTS_HPP_
