#ifndef RCLCPP_LIFECYCLE__STATE_HPP_
#define RCLCPP_LIFECYCLE__STATE_HPP_

#include <cstdint>
#include <string>

#include "rcl_lifecycle/data_types.h"
#include "rclcpp_lifecycle/visibility_control.h"

namespace rclcpp_lifecycle
{

/// A state of a node: a number of lifecycle_msgs/msg/State, and its label.
class RCLCPP_LIFECYCLE_PUBLIC State
{
public:
  /// The state 0, "unknown".
  State();
  /// \throws std::runtime_error if the label is empty
  State(uint8_t id, const std::string & label);
  /// \throws std::runtime_error if the pointer is NULL
  explicit State(const rcl_lifecycle_state_t * rcl_lifecycle_state_handle);
  virtual ~State() = default;
  State(const State &) = default;
  State(State &&) = default;
  State & operator=(const State &) = default;
  State & operator=(State &&) = default;

  uint8_t id() const {return id_;}
  std::string label() const {return label_;}

private:
  uint8_t id_;
  std::string label_;
};

}  // namespace rclcpp_lifecycle

#endif  // RCLCPP_LIFECYCLE__STATE_HPP_
