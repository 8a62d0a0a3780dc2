#include "rclcpp/time_source.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "rclcpp/exceptions.hpp"

namespace rclcpp
{
namespace
{

/// A time that clocks are set to.
struct SourceTime
{
  bool is_simulated = false;
  int64_t nanoseconds = 0;
};

void check_kind(const Clock & clock, const SourceTime & time)
{
  if (time.is_simulated && clock.get_clock_type() != RCL_ROS_TIME) {
    throw std::invalid_argument("the time is simulated: attach only clocks of the kind RCL_ROS_TIME");
  }
}

void set_clock(Clock & clock, const SourceTime & time)
{
  if (clock.get_clock_type() != RCL_ROS_TIME) {
    return;
  }
  std::lock_guard<std::mutex> lock(clock.get_clock_mutex());
  rcl_clock_t * handle = clock.get_clock_handle();
  rcl_ret_t ret = RCL_RET_OK;
  if (time.is_simulated) {
    ret = rcl_set_ros_time_override(handle, time.nanoseconds);
  }
  if (ret == RCL_RET_OK) {
    ret = time.is_simulated ? rcl_enable_ros_time_override(handle) : rcl_disable_ros_time_override(handle);
  }
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, "failed to set the time of a clock");
  }
}

}  // namespace

/// The clocks, and the node that their time comes from.
class TimeSource::NodeState : public std::enable_shared_from_this<NodeState>
{
public:
  explicit NodeState(bool use_clock_thread)
  : use_clock_thread_(use_clock_thread) {}

  void attach_node(Clock::SharedPtr source)
  {
    detach_node();
    const auto follow = [weak = weak_from_this()](const rcl_time_jump_t &) {
        if (const auto state = weak.lock()) {
          const std::lock_guard<std::recursive_mutex> lock(state->mutex_);
          state->set_clocks(state->time());
        }
      };
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    source_ = std::move(source);
    watch_ = source_->create_jump_callback(nullptr, follow, rcl_jump_threshold_t{true, {1}, {-1}});
    set_clocks(time());
  }

  void detach_node()
  {
    // It ends without the lock, because it waits for its callback, which takes the lock.
    JumpHandler::SharedPtr ended;
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ended = std::move(watch_);
    if (time().is_simulated) {
      set_clocks(SourceTime());
    }
    source_.reset();
  }

  void attach_clock(Clock::SharedPtr clock)
  {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    const SourceTime present = time();
    check_kind(*clock, present);
    if (std::find(clocks_.begin(), clocks_.end(), clock) == clocks_.end()) {
      clocks_.push_back(clock);
    }
    if (clock != source_) {
      set_clock(*clock, present);
    }
  }

  void detach_clock(const Clock::SharedPtr & clock)
  {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    clocks_.erase(std::remove(clocks_.begin(), clocks_.end(), clock), clocks_.end());
  }

  bool is_simulated()
  {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return time().is_simulated;
  }

  bool use_clock_thread() const {return use_clock_thread_;}
  void set_use_clock_thread(bool value) {use_clock_thread_ = value;}

private:
  SourceTime time()
  {
    if (!source_ || source_->get_clock_type() != RCL_ROS_TIME || !source_->ros_time_is_active()) {
      return SourceTime();
    }
    return SourceTime{true, source_->now().nanoseconds()};
  }

  void set_clocks(const SourceTime & present)
  {
    for (const Clock::SharedPtr & clock : std::vector<Clock::SharedPtr>(clocks_)) {
      if (clock != source_) {
        set_clock(*clock, present);
      }
    }
  }

  /// The callbacks of a clock may use this time source.
  std::recursive_mutex mutex_;
  std::vector<Clock::SharedPtr> clocks_;
  Clock::SharedPtr source_;
  JumpHandler::SharedPtr watch_;
  std::atomic<bool> use_clock_thread_;
};

TimeSource::TimeSource(Node::SharedPtr node, const QoS & qos, bool use_clock_thread)
: TimeSource(qos, use_clock_thread)
{
  attachNode(std::move(node));
}

TimeSource::TimeSource(const QoS &, bool use_clock_thread)
: node_state_(std::make_shared<NodeState>(use_clock_thread)) {}

TimeSource::~TimeSource()
{
  if (node_state_) {
    node_state_->detach_node();
  }
}

void TimeSource::attachNode(Node::SharedPtr node)
{
  node_state_->set_use_clock_thread(node->get_node_options().use_clock_thread());
  node_state_->attach_node(node->get_clock());
}

void TimeSource::attachNode(
  node_interfaces::NodeBaseInterface::SharedPtr, node_interfaces::NodeTopicsInterface::SharedPtr,
  node_interfaces::NodeGraphInterface::SharedPtr, node_interfaces::NodeServicesInterface::SharedPtr,
  node_interfaces::NodeLoggingInterface::SharedPtr, node_interfaces::NodeClockInterface::SharedPtr node_clock_interface,
  node_interfaces::NodeParametersInterface::SharedPtr)
{
  node_state_->attach_node(node_clock_interface->get_clock());
}

void TimeSource::detachNode() {node_state_->detach_node();}

void TimeSource::attachClock(Clock::SharedPtr clock) {node_state_->attach_clock(std::move(clock));}

void TimeSource::detachClock(Clock::SharedPtr clock) {node_state_->detach_clock(clock);}

bool TimeSource::get_use_clock_thread() {return node_state_->use_clock_thread();}

void TimeSource::set_use_clock_thread(bool use_clock_thread) {node_state_->set_use_clock_thread(use_clock_thread);}

bool TimeSource::clock_thread_is_joinable() {return node_state_->is_simulated() && node_state_->use_clock_thread();}

}  // namespace rclcpp
