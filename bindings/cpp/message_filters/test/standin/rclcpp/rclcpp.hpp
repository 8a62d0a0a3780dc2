// A stand-in for rclcpp, for tests without rclcpp.
#ifndef RCLCPP_RCLCPP_HPP_
#define RCLCPP_RCLCPP_HPP_

#include "rclcpp/clock.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp
{

inline void init(int, char **) {}
inline void shutdown() {}
inline bool ok() {return true;}

inline void spin_some(Node * node)
{
  node->execute_timers();
  const auto subscriptions = all_subscriptions();
  for (const auto & weak : subscriptions) {
    if (const auto subscription = weak.lock()) {
      subscription->execute();
    }
  }
}

template<class Node>
void spin_some(const std::shared_ptr<Node> & node)
{
  spin_some(static_cast<rclcpp::Node *>(node.get()));
}

}  // namespace rclcpp

#endif
