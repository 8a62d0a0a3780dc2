#ifndef RCLCPP__WAIT_SET_HPP_
#define RCLCPP__WAIT_SET_HPP_

#include <cstddef>

#include "rclcpp/wait_set_template.hpp"

namespace rclcpp
{

using WaitSet = WaitSetTemplate<wait_set_policies::SequentialSynchronization, wait_set_policies::DynamicStorage>;

template<
  std::size_t NumberOfSubscriptions, std::size_t NumberOfGuardCondtions, std::size_t NumberOfTimers,
  std::size_t NumberOfClients, std::size_t NumberOfServices, std::size_t NumberOfWaitables>
using StaticWaitSet = WaitSetTemplate<
  wait_set_policies::SequentialSynchronization,
  wait_set_policies::StaticStorage<
    NumberOfSubscriptions, NumberOfGuardCondtions, NumberOfTimers, NumberOfClients, NumberOfServices,
    NumberOfWaitables>>;

using ThreadSafeWaitSet =
  WaitSetTemplate<wait_set_policies::ThreadSafeSynchronization, wait_set_policies::DynamicStorage>;

}  // namespace rclcpp

#endif  // RCLCPP__WAIT_SET_HPP_
