#ifndef RCLCPP_LIFECYCLE__TRANSITION_HPP_
#define RCLCPP_LIFECYCLE__TRANSITION_HPP_

#include <cstdint>
#include <string>

#include "rcl_lifecycle/data_types.h"
#include "rclcpp_lifecycle/state.hpp"
#include "rclcpp_lifecycle/visibility_control.h"

namespace rclcpp_lifecycle
{

/// A transition of a node: a number of lifecycle_msgs/msg/Transition, its label, and the states before and after it.
class RCLCPP_LIFECYCLE_PUBLIC Transition
{
public:
  Transition() = delete;
  explicit Transition(uint8_t id, const std::string & label = "");
  Transition(uint8_t id, const std::string & label, State && start, State && goal);
  /// \throws std::runtime_error if the pointer is NULL
  explicit Transition(const rcl_lifecycle_transition_t * rcl_lifecycle_transition_handle);
  virtual ~Transition() = default;
  Transition(const Transition &) = default;
  Transition(Transition &&) = default;
  Transition & operator=(const Transition &) = default;
  Transition & operator=(Transition &&) = default;

  uint8_t id() const {return id_;}
  std::string label() const {return label_;}
  State start_state() const {return start_;}
  State goal_state() const {return goal_;}

private:
  uint8_t id_;
  std::string label_;
  State start_;
  State goal_;
};

}  // namespace rclcpp_lifecycle

#endif  // RCLCPP_LIFECYCLE__TRANSITION_HPP_
