// The topics of the subject. Commands of the suite open, use and close endpoints.
#ifndef NATIVE__TOPICS_HPP_
#define NATIVE__TOPICS_HPP_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../outcome.hpp"
#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "failure.hpp"
#include "nav_msgs/msg/odometry.hpp"
#include "rmw/qos_policy_kind.h"
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
      open_publisher(words.at(1), words.at(2), qos(words.at(3)));
    } else if (command == "subscription") {
      open_subscription(words.at(1), words.at(2), qos(words.at(3)));
    } else if (command == "relay") {
      relay(words.at(1), words.at(2), words.at(3));
    } else if (command == "send") {
      send(words.at(1), std::stoull(words.at(2)), std::stoull(words.at(3)));
    } else if (command == "received") {
      return received(words.at(1), std::stoull(words.at(2)), seconds(words.at(3)));
    } else if (command == "event") {
      return event(words.at(1), words.at(2), seconds(words.at(3)));
    } else if (command == "close") {
      find(words.at(1));
      endpoints_.erase(words.at(1));
    } else {
      throw Refused("no such command: " + command);
    }
    return "";
  }

private:
  /// The numbers and the events that an endpoint has received so far.
  struct Known
  {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<uint64_t> received;
    std::map<saltus::EventKind, std::string> events;
  };

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
             std::lock_guard<std::mutex> lock(known->mutex);
             known->events[event.kind()] = text_of(event);
             known->changed.notify_all();
           };
  }

  static std::string text_of(const saltus::Event & event)
  {
    switch (event.kind()) {
      case saltus::EventKind::deadline_missed: return "";
      case saltus::EventKind::incompatible_qos: return policy(event.get().policy);
      default: return std::to_string(event.get().total);
    }
  }

  static std::string policy(uint8_t number)
  {
    switch (number) {
      case RMW_QOS_POLICY_RELIABILITY: return "RELIABILITY";
      case RMW_QOS_POLICY_DURABILITY: return "DURABILITY";
      case RMW_QOS_POLICY_DEADLINE: return "DEADLINE";
      case RMW_QOS_POLICY_LIVELINESS: return "LIVELINESS";
      default: return "another policy";
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
          std::lock_guard<std::mutex> lock(known->mutex);
          known->received.push_back(number.data);
          known->changed.notify_all();
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

  std::string received(const std::string & name, size_t count, std::chrono::nanoseconds timeout)
  {
    const auto known = find(name).known;
    std::unique_lock<std::mutex> lock(known->mutex);
    const bool has_come = known->changed.wait_for(lock, timeout, [&] {return known->received.size() >= count;});
    std::ostringstream text;
    for (size_t index = 0; index < known->received.size(); ++index) {
      text << (index == 0 ? "" : " ") << known->received[index];
    }
    return has_come ? text.str() : throw Refused(text.str());
  }

  std::string event(const std::string & name, const std::string & kind, std::chrono::nanoseconds timeout)
  {
    static const std::map<std::string, saltus::EventKind> kinds = {
      {"matched", saltus::EventKind::matched}, {"incompatible_qos", saltus::EventKind::incompatible_qos},
      {"incompatible_type", saltus::EventKind::incompatible_type}, {"deadline", saltus::EventKind::deadline_missed},
      {"message_lost", saltus::EventKind::message_lost}};
    const auto known = find(name).known;
    std::unique_lock<std::mutex> lock(known->mutex);
    if (!known->changed.wait_for(lock, timeout, [&] {return known->events.count(kinds.at(kind)) > 0;})) {
      throw Refused("no event");
    }
    return known->events[kinds.at(kind)];
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

  /// Reads RELIABILITY/DURABILITY/DEPTH/DEADLINE/LIFESPAN. The times are in milliseconds, and 0 is no time.
  static saltus::QoS qos(const std::string & text)
  {
    std::istringstream stream(text);
    Words parts;
    for (std::string part; std::getline(stream, part, '/'); ) {
      parts.push_back(part);
    }
    auto profile = saltus::QoS::keep_last(static_cast<uint32_t>(std::stoul(parts.at(2))));
    if (parts.at(0) != "reliable") {
      profile.best_effort();
    }
    if (parts.at(1) != "volatile") {
      profile.transient_local();
    }
    return profile.deadline(std::chrono::milliseconds(std::stoull(parts.at(3))))
           .lifespan(std::chrono::milliseconds(std::stoull(parts.at(4))));
  }

  saltus::Node & node_;
  // Only commands use these, and they run one after the other.
  std::map<std::string, Endpoint> endpoints_;
  std::vector<std::shared_ptr<void>> relays_;
};

#endif  // NATIVE__TOPICS_HPP_
