// The events of endpoints, from the form of libsaltus to the callbacks of rclcpp.
#ifndef EVENTS_HPP_
#define EVENTS_HPP_

#include "rclcpp/event_handler.hpp"
#include "saltus/saltus.h"

namespace rclcpp::detail
{

bool has_callbacks(const SubscriptionEventCallbacks & callbacks);
bool has_callbacks(const PublisherEventCallbacks & callbacks);
/// Calls the callback for an event, if there is one.
void call_with_event(const SubscriptionEventCallbacks & callbacks, const saltus_event_t & event);
void call_with_event(const PublisherEventCallbacks & callbacks, const saltus_event_t & event);

}  // namespace rclcpp::detail

#endif  // EVENTS_HPP_
