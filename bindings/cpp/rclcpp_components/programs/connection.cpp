#include "connection.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp/serialization.hpp"
#include "saltus/saltus.h"

namespace rclcpp_components
{
namespace
{

/// How long the callbacks may run after the container has ended.
constexpr std::chrono::seconds GRACE(5);
/// The greatest length of a part: that of a message.
constexpr uint64_t MAX_LENGTH = uint64_t{960} << 20;

}  // namespace

Connection::Connection()
: socket_(dup(STDIN_FILENO))
{
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (socket_ < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || fcntl(socket_, F_SETFD, FD_CLOEXEC) < 0) {
    throw std::runtime_error("can't take over the connection to the container");
  }
  close(nothing);
}

Connection::~Connection() {close(socket_);}

void Connection::read(void * data, size_t size)
{
  auto * next = static_cast<uint8_t *>(data);
  while (size > 0) {
    const ssize_t count = recv(socket_, next, size, 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      throw std::runtime_error("the container has ended");
    }
    next += count;
    size -= static_cast<size_t>(count);
  }
}

uint64_t Connection::number()
{
  uint8_t bytes[8];
  read(bytes, sizeof bytes);
  uint64_t value = 0;
  for (size_t index = sizeof bytes; index > 0; --index) {
    value = value << 8 | bytes[index - 1];
  }
  return value;
}

std::vector<uint8_t> Connection::part()
{
  const uint64_t length = number();
  if (length > MAX_LENGTH) {
    throw std::runtime_error("the container sends a part of " + std::to_string(length) + " bytes");
  }
  std::vector<uint8_t> bytes;
  // The memory grows with what arrives, and not with what the length claims.
  while (bytes.size() < length) {
    const size_t before = bytes.size();
    bytes.resize(before + std::min<uint64_t>(length - before, 1 << 20));
    read(bytes.data() + before, bytes.size() - before);
  }
  return bytes;
}

std::string Connection::text()
{
  const auto bytes = part();
  return std::string(bytes.begin(), bytes.end());
}

std::shared_ptr<Connection::LoadNode::Request> Connection::read_start()
{
  const auto bytes = part();
  rclcpp::SerializedMessage serialized(bytes.size());
  auto & raw = serialized.get_rcl_serialized_message();
  std::copy(bytes.begin(), bytes.end(), raw.buffer);
  raw.buffer_length = bytes.size();
  auto request = std::make_shared<LoadNode::Request>();
  rclcpp::Serialization<LoadNode::Request>().deserialize_message(&serialized, request.get());
  // The path of a library in Rust.
  part();
  const saltus_context_t * context = rclcpp::contexts::get_global_default_context()->get_saltus_context();
  for (uint64_t left = number(); left > 0; --left) {
    const std::string topic = text();
    const std::string type = text();
    const auto source_time = static_cast<int64_t>(number());
    const auto message = part();
    saltus_context_keep_message(context, topic.c_str(), type.c_str(), source_time, message.data(), message.size());
  }
  return request;
}

void Connection::answer(const LoadNode::Response & response)
{
  rclcpp::SerializedMessage serialized;
  rclcpp::Serialization<LoadNode::Response>().serialize_message(&response, &serialized);
  const auto & raw = serialized.get_rcl_serialized_message();
  for (const uint64_t value :
    {saltus_context_process(rclcpp::contexts::get_global_default_context()->get_saltus_context()),
      static_cast<uint64_t>(raw.buffer_length)})
  {
    uint8_t bytes[8];
    for (size_t index = 0; index < sizeof bytes; ++index) {
      bytes[index] = static_cast<uint8_t>(value >> (8 * index));
    }
    write(bytes, sizeof bytes);
  }
  write(raw.buffer, raw.buffer_length);
}

void Connection::write(const void * data, size_t size)
{
  const auto * next = static_cast<const uint8_t *>(data);
  while (size > 0) {
    const ssize_t count = send(socket_, next, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      throw std::runtime_error("the container has ended");
    }
    next += count;
    size -= static_cast<size_t>(count);
  }
}

void Connection::shut_down_at_end()
{
  std::thread(
    [socket = socket_] {
      // The container sends nothing more, so this returns only at the end of the connection.
      uint8_t nothing = 0;
      while (recv(socket, &nothing, 1, 0) < 0 && errno == EINTR) {
      }
      rclcpp::shutdown();
      std::this_thread::sleep_for(GRACE);
      std::_Exit(1);
    }).detach();
}

}  // namespace rclcpp_components
