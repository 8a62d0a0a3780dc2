#include "rclcpp/network_flow_endpoint.hpp"

#include <vector>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/publisher_base.hpp"
#include "rclcpp/subscription_base.hpp"

namespace rclcpp
{
namespace
{

/// Messages move in shared memory, and between hosts in the bridge. So endpoints have no addresses of their own.
[[noreturn]] void refuse()
{
  throw exceptions::RCLError(
          RCL_RET_UNSUPPORTED, "an endpoint of Saltus has no address in a network: messages between hosts are sent by the bridge",
          "error while getting network flow endpoints");
}

}  // namespace

std::vector<NetworkFlowEndpoint> PublisherBase::get_network_flow_endpoints() const {refuse();}

std::vector<NetworkFlowEndpoint> SubscriptionBase::get_network_flow_endpoints() const {refuse();}

bool operator==(const NetworkFlowEndpoint & left, const NetworkFlowEndpoint & right)
{
  return left.transport_protocol() == right.transport_protocol() && left.internet_protocol() == right.internet_protocol() &&
         left.transport_port() == right.transport_port() && left.flow_label() == right.flow_label() &&
         left.dscp() == right.dscp() && left.internet_address() == right.internet_address();
}

bool operator!=(const NetworkFlowEndpoint & left, const NetworkFlowEndpoint & right) {return !(left == right);}

std::ostream & operator<<(std::ostream & stream, const NetworkFlowEndpoint & endpoint)
{
  return stream << "{\"transportProtocol\": \"" << endpoint.transport_protocol() << "\", \"internetProtocol\": \"" <<
         endpoint.internet_protocol() << "\", \"transportPort\": \"" << endpoint.transport_port() << "\", \"flowLabel\": \"" <<
         endpoint.flow_label() << "\", \"dscp\": \"" << static_cast<unsigned>(endpoint.dscp()) <<
         "\", \"internetAddress\": \"" << endpoint.internet_address() << "\"}";
}

}  // namespace rclcpp
