#ifndef RCLCPP__EXECUTORS__MULTI_THREADED_EXECUTOR_HPP_
#define RCLCPP__EXECUTORS__MULTI_THREADED_EXECUTOR_HPP_

#include <chrono>

#include "rclcpp/executor.hpp"

namespace rclcpp
{
namespace executors
{

/// Runs callbacks on several threads.
class RCLCPP_PUBLIC MultiThreadedExecutor : public rclcpp::Executor
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(MultiThreadedExecutor)

  /// 0 threads are as many as there are processors, and at least 2. The thread that spins is one of them.
  explicit MultiThreadedExecutor(
    const rclcpp::ExecutorOptions & options = rclcpp::ExecutorOptions(), size_t number_of_threads = 0,
    bool yield_before_execute = false, std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));
  void spin() override;
  void cancel() override;
  size_t get_number_of_threads() {return number_of_threads_;}

private:
  size_t number_of_threads_;
};

}  // namespace executors
}  // namespace rclcpp

#endif  // RCLCPP__EXECUTORS__MULTI_THREADED_EXECUTOR_HPP_
