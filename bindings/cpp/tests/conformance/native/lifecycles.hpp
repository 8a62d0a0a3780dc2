// The lifecycle nodes of the subject. Commands of the suite create them, and plan what their callbacks do.
#ifndef NATIVE__LIFECYCLES_HPP_
#define NATIVE__LIFECYCLES_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "../outcome.hpp"
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

  void plan(const std::string & callback, const std::string & outcome)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    outcomes_[callback] = outcome;
  }

  std::string take_calls()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(calls_, "");
  }

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
    std::lock_guard<std::mutex> lock(mutex_);
    calls_ += (calls_.empty() ? "" : " ") + callback + ":" + saltus::label(previous);
    const std::string outcome = std::exchange(outcomes_[callback], "");
    // Callbacks of the C++ API must not throw. What would be an exception is an error.
    return outcome == "failure" ? saltus::CallbackReturn::failure :
           outcome == "error" || outcome == "raise" ? saltus::CallbackReturn::error : saltus::CallbackReturn::success;
  }

  std::mutex mutex_;
  std::map<std::string, std::string> outcomes_;
  std::string calls_;
  uint64_t dropped_ = 0;
  std::optional<saltus::Publisher<Number>> numbers_;
  saltus::Node node_;
  saltus::Lifecycle lifecycle_;
};

class Lifecycles
{
public:
  Lifecycles(saltus::Context & context, saltus::Executor & executor)
  : context_(context), executor_(executor) {}

  static bool has(const std::string & command)
  {
    return command == "lifecycle" || command == "plan" || command == "callbacks" || command == "publish_managed";
  }

  std::string run(const Words & words)
  {
    if (words.at(0) == "lifecycle") {
      auto planned = std::make_unique<Planned>(context_, words.at(1));
      must(executor_.add_node(planned->node()));
      nodes_[words.at(1)] = std::move(planned);
      return "";
    }
    const auto found = nodes_.find(words.at(1));
    if (found == nodes_.end()) {
      throw Refused("no lifecycle node " + words.at(1));
    }
    Planned & planned = *found->second;
    if (words.at(0) == "callbacks") {
      return planned.take_calls();
    }
    if (words.at(0) == "publish_managed") {
      return planned.publish(std::stoull(words.at(2)));
    }
    planned.plan(words.at(2), words.at(3));
    return "";
  }

private:
  saltus::Context & context_;
  saltus::Executor & executor_;
  std::map<std::string, std::unique_ptr<Planned>> nodes_;
};

#endif  // NATIVE__LIFECYCLES_HPP_
