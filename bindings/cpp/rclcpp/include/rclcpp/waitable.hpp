#ifndef RCLCPP__WAITABLE_HPP_
#define RCLCPP__WAITABLE_HPP_

#include <atomic>
#include <functional>
#include <memory>

#include "rcl/wait.h"
#include "rclcpp/macros.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Something that an executor or a wait set waits for, and that is not one of their own entities. It is ready when one of its
/// guard conditions was triggered, or when it calls the function of set_on_ready_callback().
class RCLCPP_PUBLIC Waitable
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Waitable)

  Waitable() = default;
  Waitable(const Waitable &) = delete;
  Waitable & operator=(const Waitable &) = delete;
  virtual ~Waitable() = default;

  // How many entities it adds to a wait set. Only guard conditions make a wait end.
  virtual size_t get_number_of_ready_subscriptions() {return 0;}
  virtual size_t get_number_of_ready_timers() {return 0;}
  virtual size_t get_number_of_ready_clients() {return 0;}
  virtual size_t get_number_of_ready_events() {return 0;}
  virtual size_t get_number_of_ready_services() {return 0;}
  virtual size_t get_number_of_ready_guard_conditions() {return 0;}

  /// Adds the entities to a wait set.
  virtual void add_to_wait_set(rcl_wait_set_t & wait_set) = 0;
  /// Whether it is ready. The entities of the wait set that are not ready are NULL.
  virtual bool is_ready(const rcl_wait_set_t & wait_set) = 0;
  /// Takes what execute() uses.
  virtual std::shared_ptr<void> take_data() = 0;
  /// Takes what execute() uses, after the function of set_on_ready_callback() was called with `id`.
  virtual std::shared_ptr<void> take_data_by_entity_id(size_t id);
  virtual void execute(const std::shared_ptr<void> & data) = 0;

  /// Sets whether a wait set has it. Returns whether one had it before.
  bool exchange_in_use_by_wait_set_state(bool in_use_state) {return in_use_by_wait_set_.exchange(in_use_state);}

  /// Sets a function that is called when it becomes ready: with how many times, and which of its parts.
  /// \throws std::runtime_error if the class has no such function
  virtual void set_on_ready_callback(std::function<void(size_t, int)> callback);
  virtual void clear_on_ready_callback();

protected:
  bool is_in_use_by_wait_set() const {return in_use_by_wait_set_;}

private:
  std::atomic_bool in_use_by_wait_set_{false};
};

}  // namespace rclcpp

#endif  // RCLCPP__WAITABLE_HPP_
