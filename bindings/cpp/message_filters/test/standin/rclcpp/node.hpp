// A stand-in for rclcpp::Node, for tests without rclcpp: topics in one process, and no threads.
#ifndef RCLCPP_NODE_HPP_
#define RCLCPP_NODE_HPP_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/clock.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp
{

struct SubscriptionOptions
{
  bool ignore_local_publications = false;
};

class SubscriptionBase
{
public:
  SubscriptionBase(std::string topic, QoS qos)
  : topic_(std::move(topic)), qos_(std::move(qos)) {}
  virtual ~SubscriptionBase() = default;

  const char * get_topic_name() const {return topic_.c_str();}
  QoS get_actual_qos() const {return qos_;}
  virtual void take(const std::shared_ptr<const void> & message) = 0;
  virtual void execute() = 0;

private:
  std::string topic_;
  QoS qos_;
};

template<class M>
class Subscription : public SubscriptionBase
{
public:
  using SharedPtr = std::shared_ptr<Subscription>;

  Subscription(std::string topic, QoS qos, std::function<void (std::shared_ptr<const M>)> callback)
  : SubscriptionBase(std::move(topic), std::move(qos)), callback_(std::move(callback)) {}

  void take(const std::shared_ptr<const void> & message) override
  {
    waiting_.push_back(std::static_pointer_cast<const M>(message));
  }

  void execute() override
  {
    while (!waiting_.empty()) {
      const auto message = waiting_.front();
      waiting_.pop_front();
      callback_(message);
    }
  }

private:
  std::function<void (std::shared_ptr<const M>)> callback_;
  std::deque<std::shared_ptr<const M>> waiting_;
};

// The subscriptions of all topics.
inline std::vector<std::weak_ptr<SubscriptionBase>> & all_subscriptions()
{
  static std::vector<std::weak_ptr<SubscriptionBase>> subscriptions;
  return subscriptions;
}

template<class M>
class Publisher
{
public:
  using SharedPtr = std::shared_ptr<Publisher>;

  explicit Publisher(std::string topic)
  : topic_(std::move(topic)) {}

  void publish(const M & message)
  {
    for (const auto & weak : all_subscriptions()) {
      if (const auto subscription = weak.lock()) {
        if (subscription->get_topic_name() == topic_) {
          subscription->take(std::make_shared<const M>(message));
        }
      }
    }
  }

  std::size_t get_subscription_count() const
  {
    std::size_t count = 0;
    for (const auto & weak : all_subscriptions()) {
      const auto subscription = weak.lock();
      count += subscription && subscription->get_topic_name() == topic_;
    }
    return count;
  }

private:
  std::string topic_;
};

class Node : public std::enable_shared_from_this<Node>
{
public:
  using SharedPtr = std::shared_ptr<Node>;

  explicit Node(std::string name)
  : name_(std::move(name)) {}
  virtual ~Node() = default;

  template<class M, class Callback>
  typename Subscription<M>::SharedPtr create_subscription(
    const std::string & topic, const QoS & qos, Callback && callback, const SubscriptionOptions & = {})
  {
    auto subscription = std::make_shared<Subscription<M>>("/" + topic, qos, std::forward<Callback>(callback));
    all_subscriptions().push_back(subscription);
    return subscription;
  }

  template<class M>
  typename Publisher<M>::SharedPtr create_publisher(const std::string & topic, const QoS &)
  {
    return std::make_shared<Publisher<M>>("/" + topic);
  }

  template<class Callback>
  TimerBase::SharedPtr create_wall_timer(std::chrono::nanoseconds, Callback callback)
  {
    timers_.push_back(std::make_shared<TimerBase>(callback));
    return timers_.back();
  }

  Clock::SharedPtr get_clock() {return clock_;}
  Node * get_node_topics_interface() {return this;}
  Node * get_node_base_interface() {return this;}

  void execute_timers()
  {
    const auto timers = timers_;
    for (const auto & timer : timers) {
      timer->execute_callback();
    }
  }

private:
  std::string name_;
  Clock::SharedPtr clock_ = std::make_shared<Clock>(RCL_ROS_TIME);
  std::vector<TimerBase::SharedPtr> timers_;
};

}  // namespace rclcpp

#endif
