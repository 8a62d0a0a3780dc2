#ifndef RCLCPP_LIFECYCLE__LIFECYCLE_PUBLISHER_HPP_
#define RCLCPP_LIFECYCLE__LIFECYCLE_PUBLISHER_HPP_

#include <atomic>
#include <memory>
#include <string>

#include "rclcpp/logging.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp_lifecycle/managed_entity.hpp"

namespace rclcpp_lifecycle
{

/// A publisher that publishes only while it is active. What is published while it is not is dropped, and the first message that
/// is dropped is told. Serialized messages are published in any case.
template<typename MessageT, typename Alloc = std::allocator<void>>
class LifecyclePublisher : public SimpleManagedEntity, public rclcpp::Publisher<MessageT, Alloc>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(LifecyclePublisher)

  LifecyclePublisher(
    rclcpp::node_interfaces::NodeBaseInterface * node_base, const std::string & topic, const rclcpp::QoS & qos,
    const rclcpp::PublisherOptionsWithAllocator<Alloc> & options)
  : rclcpp::Publisher<MessageT, Alloc>(node_base, topic, qos, options),
    logger_(rclcpp::get_logger("LifecyclePublisher")) {}

  void on_activate() override {SimpleManagedEntity::on_activate();}
  void on_deactivate() override
  {
    SimpleManagedEntity::on_deactivate();
    should_log_ = true;
  }

protected:
  bool may_publish() override
  {
    const bool is_activated = this->is_activated();
    if (!is_activated && should_log_.exchange(false)) {
      RCLCPP_WARN(
        logger_, "Trying to publish message on the topic '%s', but the publisher is not activated",
        this->get_topic_name());
    }
    return is_activated;
  }

private:
  std::atomic<bool> should_log_{true};
  rclcpp::Logger logger_;
};

}  // namespace rclcpp_lifecycle

#endif  // RCLCPP_LIFECYCLE__LIFECYCLE_PUBLISHER_HPP_
