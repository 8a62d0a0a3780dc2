// The topics of the subject. Commands of the suite open, use and close endpoints.
#ifndef TOPICS_HPP_
#define TOPICS_HPP_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "known.hpp"
#include "nav_msgs/msg/odometry.hpp"
#include "outcome.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/joint_state.hpp"
#include "sensor_msgs/msg/point_cloud2.hpp"
#include "std_msgs/msg/string.hpp"
#include "std_msgs/msg/u_int64.hpp"
#include "trajectory_msgs/msg/joint_trajectory.hpp"
#include "visualization_msgs/msg/marker.hpp"

class Topics
{
public:
  using Number = std_msgs::msg::UInt64;

  explicit Topics(rclcpp::Node & node)
  : node_(node) {}

  std::string run(const Words & words)
  {
    const std::string & command = words.at(0);
    if (command == "publisher") {
      open_publisher(words.at(1), words.at(2), qos(Profile(words.at(3))));
    } else if (command == "subscription") {
      open_subscription(words.at(1), words.at(2), qos(Profile(words.at(3))));
    } else if (command == "relay") {
      relay(words.at(1), words.at(2), words.at(3));
    } else if (command == "send") {
      send(words.at(1), std::stoull(words.at(2)), std::stoull(words.at(3)));
    } else if (command == "received") {
      return find(words.at(1)).known->received(std::stoull(words.at(2)), seconds(words.at(3)));
    } else if (command == "event") {
      return find(words.at(1)).known->event(words.at(2), seconds(words.at(3)));
    } else if (command == "close") {
      std::lock_guard<std::mutex> lock(mutex_);
      if (endpoints_.erase(words.at(1)) == 0) {
        throw Refused("no such endpoint: " + words.at(1));
      }
    } else {
      throw Refused("no such command: " + command);
    }
    return "";
  }

private:
  struct Endpoint
  {
    std::shared_ptr<Known> known;
    rclcpp::Publisher<Number>::SharedPtr publisher;
    rclcpp::Subscription<Number>::SharedPtr subscription;
  };

  /// Sets the callbacks that publishers and subscriptions have in common.
  template<typename Callbacks>
  static void note_events(Callbacks & callbacks, const std::shared_ptr<Known> & known)
  {
    callbacks.deadline_callback = [known](auto &) {known->add_event("deadline", "");};
    callbacks.incompatible_qos_callback = [known](auto & info) {
        known->add_event("incompatible_qos", policy_name(info.last_policy_kind));
      };
    callbacks.incompatible_type_callback = [known](auto & info) {
        known->add_event("incompatible_type", std::to_string(info.total_count));
      };
    callbacks.matched_callback = [known](auto & info) {known->add_event("matched", std::to_string(info.total_count));};
  }

  void open_publisher(const std::string & name, const std::string & topic, const rclcpp::QoS & profile)
  {
    auto known = std::make_shared<Known>();
    rclcpp::PublisherOptions options;
    note_events(options.event_callbacks, known);
    auto publisher = node_.create_publisher<Number>(topic, profile, options);
    keep(name, {known, publisher, nullptr});
  }

  void open_subscription(const std::string & name, const std::string & topic, const rclcpp::QoS & profile)
  {
    auto known = std::make_shared<Known>();
    rclcpp::SubscriptionOptions options;
    note_events(options.event_callbacks, known);
    options.event_callbacks.message_lost_callback = [known](auto & info) {
        known->add_event("message_lost", std::to_string(info.total_count));
      };
    auto subscription = node_.create_subscription<Number>(
      topic, profile, [known](const Number & number) {
        known->add_number(number.data);
      }, options);
    keep(name, {known, nullptr, subscription});
  }

  void keep(const std::string & name, Endpoint endpoint)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    endpoints_[name] = std::move(endpoint);
  }

  Endpoint find(const std::string & name)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = endpoints_.find(name);
    if (found == endpoints_.end()) {
      throw Refused("no such endpoint: " + name);
    }
    return found->second;
  }

  void send(const std::string & name, uint64_t first, uint64_t count)
  {
    const auto publisher = find(name).publisher;
    Number number;
    for (uint64_t index = 0; index < count; ++index) {
      number.data = first + index;
      publisher->publish(number);
    }
  }

  void relay(const std::string & type, const std::string & from, const std::string & to)
  {
    relay_if<
      std_msgs::msg::String, sensor_msgs::msg::JointState, sensor_msgs::msg::PointCloud2, nav_msgs::msg::Odometry,
      visualization_msgs::msg::Marker, diagnostic_msgs::msg::DiagnosticArray, trajectory_msgs::msg::JointTrajectory>(
      type, from, to);
  }

  template<typename First, typename ... Others>
  void relay_if(const std::string & type, const std::string & from, const std::string & to)
  {
    if (type == rosidl_generator_traits::name<First>()) {
      auto publisher = node_.create_publisher<First>(to, 10);
      relays_.push_back(
        node_.create_subscription<First>(from, 10, [publisher](const First & message) {publisher->publish(message);}));
    } else if constexpr (sizeof...(Others) > 0) {
      relay_if<Others...>(type, from, to);
    } else {
      throw Refused("no relay for " + type);
    }
  }

  static rclcpp::QoS qos(const Profile & wanted)
  {
    rclcpp::QoS profile(wanted.depth);
    wanted.is_reliable ? profile.reliable() : profile.best_effort();
    wanted.is_volatile ? profile.durability_volatile() : profile.transient_local();
    if (wanted.deadline.count() != 0) {
      profile.deadline(wanted.deadline);
    }
    if (wanted.lifespan.count() != 0) {
      profile.lifespan(wanted.lifespan);
    }
    return profile;
  }

  rclcpp::Node & node_;
  std::mutex mutex_;
  std::map<std::string, Endpoint> endpoints_;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> relays_;
};

#endif  // TOPICS_HPP_
