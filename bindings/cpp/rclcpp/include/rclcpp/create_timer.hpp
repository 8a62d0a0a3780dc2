#ifndef RCLCPP__CREATE_TIMER_HPP_
#define RCLCPP__CREATE_TIMER_HPP_

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/detail/owned.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp
{
namespace detail
{

/// Returns a period in nanoseconds.
/// \throws std::invalid_argument if it is negative, or too long for nanoseconds
template<typename DurationRepT, typename DurationT>
std::chrono::nanoseconds safe_cast_to_period_in_ns(std::chrono::duration<DurationRepT, DurationT> period)
{
  if (period < std::chrono::duration<DurationRepT, DurationT>::zero()) {
    throw std::invalid_argument{"timer period cannot be negative"};
  }
  constexpr auto longest = std::chrono::duration<double, std::nano>(static_cast<double>(INT64_MAX));
  if (std::chrono::duration<double, std::nano>(period) >= longest) {
    throw std::invalid_argument{"timer period must be less than std::chrono::nanoseconds::max()"};
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(period);
}

/// Starts a timer.
template<typename TimerT>
std::shared_ptr<TimerT> start(
  std::shared_ptr<TimerT> timer, node_interfaces::NodeBaseInterface * node_base, const CallbackGroup::SharedPtr & group)
{
  if (node_base == nullptr) {
    throw std::invalid_argument{"input node_base cannot be null"};
  }
  timer->open(*node_base, group);
  return owned(std::move(timer));
}

}  // namespace detail

/// Creates a timer with a clock.
template<typename CallbackT>
typename rclcpp::TimerBase::SharedPtr
create_timer(
  std::shared_ptr<node_interfaces::NodeBaseInterface> node_base,
  std::shared_ptr<node_interfaces::NodeTimersInterface>, rclcpp::Clock::SharedPtr clock, rclcpp::Duration period,
  CallbackT && callback, rclcpp::CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
{
  auto timer = std::make_shared<GenericTimer<CallbackT>>(
    clock, period.to_chrono<std::chrono::nanoseconds>(), std::forward<CallbackT>(callback), nullptr, autostart);
  return detail::start(std::static_pointer_cast<TimerBase>(timer), node_base.get(), group);
}

/// Creates a timer with a clock, for a node that is given as a reference or a pointer.
template<typename NodeT, typename CallbackT>
typename rclcpp::TimerBase::SharedPtr
create_timer(
  NodeT && node, rclcpp::Clock::SharedPtr clock, rclcpp::Duration period, CallbackT && callback,
  rclcpp::CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
{
  auto timer = std::make_shared<GenericTimer<CallbackT>>(
    clock, period.to_chrono<std::chrono::nanoseconds>(), std::forward<CallbackT>(callback), nullptr, autostart);
  return detail::start(std::static_pointer_cast<TimerBase>(timer), detail::base_of(node), group);
}

/// Creates a timer with a clock.
/// \throws std::invalid_argument if a clock or node is null, or the period is negative
template<typename DurationRepT, typename DurationT, typename CallbackT>
typename rclcpp::GenericTimer<CallbackT>::SharedPtr
create_timer(
  rclcpp::Clock::SharedPtr clock, std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback,
  rclcpp::CallbackGroup::SharedPtr group, node_interfaces::NodeBaseInterface * node_base,
  node_interfaces::NodeTimersInterface * node_timers, bool autostart = true)
{
  if (clock == nullptr) {
    throw std::invalid_argument{"clock cannot be null"};
  }
  if (node_timers == nullptr) {
    throw std::invalid_argument{"input node_timers cannot be null"};
  }
  auto timer = std::make_shared<GenericTimer<CallbackT>>(
    std::move(clock), detail::safe_cast_to_period_in_ns(period), std::move(callback), nullptr, autostart);
  return detail::start(std::move(timer), node_base, group);
}

/// Creates a timer with a clock that never jumps.
/// \throws std::invalid_argument if a node is null, or the period is negative
template<typename DurationRepT, typename DurationT, typename CallbackT>
typename rclcpp::WallTimer<CallbackT>::SharedPtr
create_wall_timer(
  std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback, rclcpp::CallbackGroup::SharedPtr group,
  node_interfaces::NodeBaseInterface * node_base, node_interfaces::NodeTimersInterface * node_timers,
  bool autostart = true)
{
  if (node_timers == nullptr) {
    throw std::invalid_argument{"input node_timers cannot be null"};
  }
  auto timer = std::make_shared<WallTimer<CallbackT>>(
    detail::safe_cast_to_period_in_ns(period), std::move(callback), nullptr, autostart);
  return detail::start(std::move(timer), node_base, group);
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_TIMER_HPP_
