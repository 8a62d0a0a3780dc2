#include "tf2_ros/transform_listener.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace tf2_ros
{

namespace
{

// As in ROS 2: the sender of a message is not known.
constexpr const char * AUTHORITY = "Authority undetectable";

rclcpp::Node::SharedPtr makeNode(const void * listener)
{
  std::ostringstream name;
  name << "transform_listener_impl_" << std::hex << reinterpret_cast<std::uintptr_t>(listener);
  rclcpp::NodeOptions options;
  // This rule comes before one for the name of all nodes of the program.
  options.arguments({"--ros-args", "-r", "__node:=" + name.str()});
  options.start_parameter_event_publisher(false);
  options.start_parameter_services(false);
  return rclcpp::Node::make_shared("_", options);
}

rclcpp::ExecutorOptions optionsOf(const rclcpp::Context::SharedPtr & context)
{
  rclcpp::ExecutorOptions options;
  options.context = context;
  return options;
}

}  // namespace

/// A thread that runs the callbacks of a group.
class TransformListener::Thread
{
public:
  explicit Thread(const Interfaces & node)
  : group(node.base->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false)), logging_(node.logging),
    context_(node.base->get_context()), executor_(optionsOf(context_))
  {
    executor_.add_callback_group(group, node.base);
  }

  /// Starts the thread, which keeps this object.
  static void start(const std::shared_ptr<Thread> & thread)
  {
    thread->thread_ = std::thread([thread] {thread->run();});
  }

  /// Ends the thread and waits for its end. A callback of the thread itself may call it, and does not wait.
  void stop()
  {
    stopping_ = true;
    if (thread_.get_id() == std::this_thread::get_id()) {
      executor_.cancel();
      thread_.detach();
      return;
    }
    // Once is not enough: the thread may not have begun to spin.
    std::unique_lock<std::mutex> lock(mutex_);
    while (!has_ended_) {
      executor_.cancel();
      ended_.wait_for(lock, std::chrono::milliseconds(1));
    }
    lock.unlock();
    thread_.join();
  }

  const rclcpp::CallbackGroup::SharedPtr group;

private:
  void run()
  {
    while (!stopping_ && rclcpp::ok(context_)) {
      try {
        executor_.spin();
      } catch (const std::exception & error) {
        RCLCPP_ERROR(logging_->get_logger(), "A callback for a transform has failed: %s", error.what());
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    has_ended_ = true;
    ended_.notify_all();
  }

  const rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr logging_;
  const rclcpp::Context::SharedPtr context_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

TransformListener::TransformListener(tf2::BufferCore & buffer, bool spin_thread)
: buffer_(buffer), node_(makeNode(this))
{
  open(
    {node_->get_node_base_interface(), node_->get_node_logging_interface(), node_->get_node_parameters_interface(),
      node_->get_node_topics_interface()},
    spin_thread, DynamicListenerQoS(), StaticListenerQoS(), detail::get_default_transform_listener_sub_options(),
    detail::get_default_transform_listener_static_sub_options());
}

TransformListener::~TransformListener()
{
  if (thread_) {
    thread_->stop();
  }
}

void TransformListener::open(
  Interfaces node, bool spin_thread, const rclcpp::QoS & qos, const rclcpp::QoS & static_qos,
  rclcpp::SubscriptionOptionsBase options, rclcpp::SubscriptionOptionsBase static_options)
{
  if (spin_thread) {
    thread_ = std::make_shared<Thread>(node);
    options.callback_group = thread_->group;
    static_options.callback_group = thread_->group;
  }
  subscription_ = subscribe(node, "/tf", false, qos, options);
  static_subscription_ = subscribe(node, "/tf_static", true, static_qos, static_options);
  if (spin_thread) {
    Thread::start(thread_);
    buffer_.setUsingDedicatedThread(true);
  }
}

std::shared_ptr<rclcpp::SubscriptionBase> TransformListener::subscribe(
  Interfaces & node, const char * topic, bool is_static, const rclcpp::QoS & qos,
  const rclcpp::SubscriptionOptionsBase & options)
{
  const auto receive = [this, is_static](tf2_msgs::msg::TFMessage::ConstSharedPtr message) {
      subscription_callback(message, is_static);
    };
  return rclcpp::create_subscription<tf2_msgs::msg::TFMessage>(
    node.parameters, node.topics, topic, qos, receive, rclcpp::SubscriptionOptions(options));
}

void TransformListener::subscription_callback(tf2_msgs::msg::TFMessage::ConstSharedPtr msg, bool is_static)
{
  // A callback that waits for one transform must not keep the others out of the buffer.
  std::exception_ptr thrown;
  for (const auto & transform : msg->transforms) {
    try {
      buffer_.setTransform(transform, AUTHORITY, is_static);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

}  // namespace tf2_ros
