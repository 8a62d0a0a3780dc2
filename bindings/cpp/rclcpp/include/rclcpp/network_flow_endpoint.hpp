#ifndef RCLCPP__NETWORK_FLOW_ENDPOINT_HPP_
#define RCLCPP__NETWORK_FLOW_ENDPOINT_HPP_

#include <cstdint>
#include <ostream>
#include <string>

#include "rcl/network_flow_endpoints.h"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// The address of an endpoint in a network.
class RCLCPP_PUBLIC NetworkFlowEndpoint
{
public:
  explicit NetworkFlowEndpoint(const rcl_network_flow_endpoint_t & network_flow_endpoint)
  : endpoint_(network_flow_endpoint) {}

  /// Returns the name of the transport protocol, for example UDP.
  std::string transport_protocol() const
  {
    return rcl_network_flow_endpoint_get_transport_protocol_string(endpoint_.transport_protocol);
  }
  /// Returns the name of the internet protocol, for example IPv4.
  std::string internet_protocol() const
  {
    return rcl_network_flow_endpoint_get_internet_protocol_string(endpoint_.internet_protocol);
  }
  uint16_t transport_port() const {return endpoint_.transport_port;}
  /// Returns the flow label of IPv6.
  uint32_t flow_label() const {return endpoint_.flow_label;}
  /// Returns the service class of the packets.
  uint8_t dscp() const {return endpoint_.dscp;}
  std::string internet_address() const {return endpoint_.internet_address;}

private:
  rcl_network_flow_endpoint_t endpoint_;
};

RCLCPP_PUBLIC bool operator==(const NetworkFlowEndpoint & left, const NetworkFlowEndpoint & right);
RCLCPP_PUBLIC bool operator!=(const NetworkFlowEndpoint & left, const NetworkFlowEndpoint & right);
/// Writes an address as JSON.
RCLCPP_PUBLIC std::ostream & operator<<(std::ostream & stream, const NetworkFlowEndpoint & endpoint);

}  // namespace rclcpp

#endif  // RCLCPP__NETWORK_FLOW_ENDPOINT_HPP_
