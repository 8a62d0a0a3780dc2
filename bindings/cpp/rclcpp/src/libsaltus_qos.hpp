// Quality of service in the forms of rmw and of libsaltus.
#ifndef LIBSALTUS_QOS_HPP_
#define LIBSALTUS_QOS_HPP_

#include "rclcpp/qos.hpp"
#include "saltus/saltus.h"

namespace rclcpp::detail
{

saltus_qos_t to_saltus(const rmw_qos_profile_t & profile);
rmw_qos_profile_t to_rmw(const saltus_qos_t & qos);

/// Returns a profile of libsaltus as one of rclcpp.
inline QoS qos_of(const saltus_qos_t & qos)
{
  const rmw_qos_profile_t profile = to_rmw(qos);
  return QoS(QoSInitialization::from_rmw(profile), profile);
}

}  // namespace rclcpp::detail

#endif  // LIBSALTUS_QOS_HPP_
