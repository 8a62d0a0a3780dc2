// The connection of a component's process to its container.
#ifndef CONNECTION_HPP_
#define CONNECTION_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "composition_interfaces/srv/load_node.hpp"

namespace rclcpp_components
{

/// The standard input, through which a container requests a component: numbers of 8 bytes, and parts with their lengths. The crate
/// saltus-container describes it (`wire`).
class Connection
{
public:
  using LoadNode = composition_interfaces::srv::LoadNode;

  /// Takes over the standard input: programs that the component starts must not inherit it.
  Connection();
  Connection(const Connection &) = delete;
  Connection & operator=(const Connection &) = delete;
  ~Connection();

  /// Reads the request, and gives the messages that an earlier process has published to the context.
  /// \throws std::runtime_error if the container has ended, or sends something else
  std::shared_ptr<LoadNode::Request> read_start();
  /// Sends the number of this process in the graph, and the response.
  void answer(const LoadNode::Response & response);
  /// Shuts the default context down when the container has ended. Then the process has some seconds to end.
  void shut_down_at_end();

private:
  void read(void * data, size_t size);
  uint64_t number();
  std::vector<uint8_t> part();
  std::string text();
  void write(const void * data, size_t size);

  int socket_;
};

}  // namespace rclcpp_components

#endif  // CONNECTION_HPP_
