// The endpoints of a process that exchange messages as pointers.
#ifndef INTRA_PROCESS_HPP_
#define INTRA_PROCESS_HPP_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rclcpp/detail/intra_process.hpp"
#include "saltus/message_support.hpp"
#include "rclcpp/intra_process_setting.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::detail
{

/// The publishers and subscriptions of a topic and a type that exchange messages within the process.
class IntraProcessTopic
{
public:
  void add_queue(const std::shared_ptr<IntraProcessQueue> & queue);
  void remove_queue(const IntraProcessQueue * queue);
  void add_publisher(const QoS & qos);
  void remove_publisher(const QoS & qos);
  /// Returns how many publishers fit the profile of a subscription.
  size_t publisher_count(const QoS & subscription) const;
  /// Returns the subscriptions that fit the profile of a publisher.
  std::vector<std::shared_ptr<IntraProcessQueue>> queues(const QoS & publisher) const;
  /// Returns a number that changes with the subscriptions.
  uint64_t version() const {return version_.load(std::memory_order_acquire);}

private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<IntraProcessQueue>> queues_;
  std::vector<QoS> publishers_;
  std::atomic_uint64_t version_{1};
};

/// The topics of a context with endpoints that exchange messages within the process.
class IntraProcessTopics
{
public:
  /// Returns a topic with one type. Endpoints of different types do not know each other, although their topics have one name.
  std::shared_ptr<IntraProcessTopic> topic(const std::string & name, const saltus::MessageSupport & type);

private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<IntraProcessTopic>> topics_;
};

/// Whether an endpoint exchanges messages with others of its process as pointers: if the program wants it, and if its profile needs
/// nothing that only the middleware does.
bool exchanges_pointers(
  IntraProcessSetting setting, const node_interfaces::NodeBaseInterface & node_base, const QoS & qos);

}  // namespace rclcpp::detail

#endif  // INTRA_PROCESS_HPP_
