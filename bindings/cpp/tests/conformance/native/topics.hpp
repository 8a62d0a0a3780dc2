// The topics of the subject. Commands of the suite open, use and close endpoints.
#ifndef NATIVE__TOPICS_HPP_
#define NATIVE__TOPICS_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../known.hpp"
#include "../outcome.hpp"
#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "failure.hpp"
#include "nav_msgs/msg/odometry.hpp"
#include "saltus/saltus.hpp"
#include "sensor_msgs/msg/joint_state.hpp"
#include "sensor_msgs/msg/point_cloud2.hpp"
#include "std_msgs/msg/string.hpp"
#include "std_msgs/msg/u_int64__view.hpp"
#include "trajectory_msgs/msg/joint_trajectory.hpp"
#include "visualization_msgs/msg/marker.hpp"

class Topics
{
public:
  using Number = std_msgs::msg::UInt64;

  explicit Topics(saltus::Node & node)
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
      find(words.at(1));
      endpoints_.erase(words.at(1));
    } else {
      throw Refused("no such command: " + command);
    }
    return "";
  }

private:
  struct Endpoint
  {
    std::shared_ptr<Known> known;
    std::optional<saltus::Publisher<Number>> publisher;
    std::optional<saltus::Subscription<Number>> subscription;
  };

  /// Returns a function that keeps the text of each event.
  static saltus::OnEvent noting(const std::shared_ptr<Known> & known)
  {
    return [known](const saltus::Event & event) {
             known->add_event(kind_of(event), text_of(event));
           };
  }

  static std::string kind_of(const saltus::Event & event)
  {
    switch (event.kind()) {
      case saltus::EventKind::matched: return "matched";
      case saltus::EventKind::incompatible_qos: return "incompatible_qos";
      case saltus::EventKind::incompatible_type: return "incompatible_type";
      case saltus::EventKind::deadline_missed: return "deadline";
      case saltus::EventKind::message_lost: return "message_lost";
      default: return "another event";
    }
  }

  static std::string text_of(const saltus::Event & event)
  {
    switch (event.kind()) {
      case saltus::EventKind::deadline_missed: return "";
      case saltus::EventKind::incompatible_qos: return policy_name(event.get().policy);
      default: return std::to_string(event.get().total);
    }
  }

  void open_publisher(const std::string & name, const std::string & topic, const saltus::QoS & profile)
  {
    auto known = std::make_shared<Known>();
    auto publisher = must(saltus::Publisher<Number>::create(node_, topic, profile, noting(known)));
    endpoints_[name] = {known, std::move(publisher), std::nullopt};
  }

  void open_subscription(const std::string & name, const std::string & topic, const saltus::QoS & profile)
  {
    auto known = std::make_shared<Known>();
    auto subscription = must(
      saltus::Subscription<Number>::create(
        node_, topic, profile, [known](const saltus::View<Number> & number) {
          known->add_number(number.data);
        }, saltus::Group(), noting(known)));
    endpoints_[name] = {known, std::nullopt, std::move(subscription)};
  }

  Endpoint & find(const std::string & name)
  {
    const auto found = endpoints_.find(name);
    if (found == endpoints_.end()) {
      throw Refused("no such endpoint: " + name);
    }
    return found->second;
  }

  void send(const std::string & name, uint64_t first, uint64_t count)
  {
    Number number;
    for (uint64_t index = 0; index < count; ++index) {
      number.data = first + index;
      must(find(name).publisher->publish(number));
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
      auto publisher = std::make_shared<saltus::Publisher<First>>(must(saltus::Publisher<First>::create(node_, to)));
      auto subscription = must(
        saltus::Subscription<First>::create(
          node_, from, saltus::QoS(), [publisher](const First & message) {publisher->publish(message).or_exit();}));
      relays_.push_back(std::make_shared<saltus::Subscription<First>>(std::move(subscription)));
    } else if constexpr (sizeof...(Others) > 0) {
      relay_if<Others...>(type, from, to);
    } else {
      throw Refused("no relay for " + type);
    }
  }

  static saltus::QoS qos(const Profile & wanted)
  {
    auto profile = saltus::QoS::keep_last(wanted.depth);
    if (!wanted.is_reliable) {
      profile.best_effort();
    }
    if (!wanted.is_volatile) {
      profile.transient_local();
    }
    return profile.deadline(wanted.deadline).lifespan(wanted.lifespan);
  }

  saltus::Node & node_;
  // Only commands use these, and they run one after the other.
  std::map<std::string, Endpoint> endpoints_;
  std::vector<std::shared_ptr<void>> relays_;
};

#endif  // NATIVE__TOPICS_HPP_
