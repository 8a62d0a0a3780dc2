#ifndef RCLCPP__EXPERIMENTAL__EXECUTORS__EVENTS_EXECUTOR__EVENTS_EXECUTOR_HPP_
#define RCLCPP__EXPERIMENTAL__EXECUTORS__EVENTS_EXECUTOR__EVENTS_EXECUTOR_HPP_

#include "rclcpp/executors/single_threaded_executor.hpp"

namespace rclcpp
{
namespace experimental
{
namespace executors
{

/// The same as the single-threaded executor, which waits for events already.
class RCLCPP_PUBLIC EventsExecutor : public rclcpp::executors::SingleThreadedExecutor
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(EventsExecutor)

  using SingleThreadedExecutor::SingleThreadedExecutor;
};

}  // namespace executors
}  // namespace experimental
}  // namespace rclcpp

#endif  // RCLCPP__EXPERIMENTAL__EXECUTORS__EVENTS_EXECUTOR__EVENTS_EXECUTOR_HPP_
