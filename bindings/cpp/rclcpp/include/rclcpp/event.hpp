#ifndef RCLCPP__EVENT_HPP_
#define RCLCPP__EVENT_HPP_

#include <atomic>

#include "rclcpp/macros.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Something that has happened or not.
class RCLCPP_PUBLIC Event
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Event)

  Event() = default;
  Event(const Event &) = delete;
  Event & operator=(const Event &) = delete;
  /// Sets the event. Returns whether it was set before.
  bool set() {return state_.exchange(true);}
  bool check() {return state_.load();}
  /// Returns whether the event was set, and clears it.
  bool check_and_clear() {return state_.exchange(false);}

private:
  std::atomic_bool state_{false};
};

}  // namespace rclcpp

#endif  // RCLCPP__EVENT_HPP_
