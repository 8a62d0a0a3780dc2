// The lifecycle nodes of the subject.
#ifndef NATIVE__LIFECYCLES_HPP_
#define NATIVE__LIFECYCLES_HPP_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "../known.hpp"
#include "failure.hpp"
#include "saltus/saltus.hpp"
#include "std_msgs/msg/u_int64.hpp"

/// A node whose callbacks do what was planned.
class Planned
{
public:
  using Number = std_msgs::msg::UInt64;

  Planned(saltus::Context & context, const std::string & name)
  : node_(must(context.node(name))), lifecycle_(must(saltus::Lifecycle::create(node_, callbacks()))) {}

  const saltus::Node & node() const {return node_;}

  Plan & plan() {return plan_;}

  /// Publishes a number. Returns how many were dropped so far.
  std::string publish(uint64_t data)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (lifecycle_.state() == saltus::LifecycleState::active) {
      Number number;
      number.data = data;
      must(numbers_->publish(number));
    } else {
      ++dropped_;
    }
    return std::to_string(dropped_);
  }

private:
  saltus::LifecycleCallbacks callbacks()
  {
    const auto calling = [this](const std::string & name) {
        return [this, name](saltus::LifecycleState previous) {return call(name, previous);};
      };
    return {
      [this](saltus::LifecycleState previous) {
        open_numbers();
        return call("on_configure", previous);
      },
      calling("on_activate"), calling("on_deactivate"), calling("on_cleanup"), calling("on_shutdown"), calling("on_error")};
  }

  void open_numbers()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!numbers_) {
      numbers_ = saltus::Publisher<Number>::create(node_, "~/numbers", saltus::QoS::keep_last(100)).or_exit();
    }
  }

  saltus::CallbackReturn call(const std::string & callback, saltus::LifecycleState previous)
  {
    const std::string outcome = plan_.call(callback, saltus::label(previous));
    // Callbacks of the C++ API must not throw. What would be an exception is an error.
    return outcome == "failure" ? saltus::CallbackReturn::failure :
           outcome == "error" || outcome == "raise" ? saltus::CallbackReturn::error : saltus::CallbackReturn::success;
  }

  std::mutex mutex_;
  Plan plan_;
  uint64_t dropped_ = 0;
  std::optional<saltus::Publisher<Number>> numbers_;
  saltus::Node node_;
  saltus::Lifecycle lifecycle_;
};

#endif  // NATIVE__LIFECYCLES_HPP_
