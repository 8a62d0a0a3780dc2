#ifndef RCLCPP_LIFECYCLE__MANAGED_ENTITY_HPP_
#define RCLCPP_LIFECYCLE__MANAGED_ENTITY_HPP_

#include <atomic>

#include "rclcpp_lifecycle/visibility_control.h"

namespace rclcpp_lifecycle
{

/// What is active while its node is active.
class RCLCPP_LIFECYCLE_PUBLIC ManagedEntityInterface
{
public:
  virtual ~ManagedEntityInterface() = default;
  virtual void on_activate() = 0;
  virtual void on_deactivate() = 0;
};

/// An entity that only notes whether it is active.
class RCLCPP_LIFECYCLE_PUBLIC SimpleManagedEntity : public ManagedEntityInterface
{
public:
  ~SimpleManagedEntity() override = default;
  void on_activate() override {activated_ = true;}
  void on_deactivate() override {activated_ = false;}
  bool is_activated() const {return activated_;}

private:
  std::atomic<bool> activated_{false};
};

}  // namespace rclcpp_lifecycle

#endif  // RCLCPP_LIFECYCLE__MANAGED_ENTITY_HPP_
