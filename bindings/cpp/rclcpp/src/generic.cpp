// Publishers, subscriptions and clients whose types are known by their names.
#include "libsaltus.hpp"
#include "rclcpp/create_generic_client.hpp"
#include "rclcpp/detail/owned.hpp"
#include "rclcpp/generic_subscription.hpp"

namespace rclcpp
{

void GenericSubscription::handle_message(std::shared_ptr<void> &, const MessageInfo &)
{
  throw exceptions::UnimplementedError(
          "handle_message is not implemented for GenericSubscription: use handle_serialized_message");
}

void GenericSubscription::handle_serialized_message(
  const std::shared_ptr<SerializedMessage> & serialized_message, const MessageInfo & message_info)
{
  callback_.dispatch(serialized_message, message_info);
}

GenericClient::FutureAndRequestId GenericClient::async_send_request(const Request request)
{
  auto promise = std::make_shared<Promise>();
  auto future = promise->get_future();
  auto number = std::make_shared<int64_t>(0);
  // The callback waits until the number is known.
  std::lock_guard<std::mutex> lock(mutex_);
  *number = call(
    request, [this, promise, number](const saltus_message_t * received, const char * failure) {
      {
        std::lock_guard<std::mutex> known(mutex_);
        pending_.erase(*number);
      }
      const auto response = create_response();
      if (received != nullptr && read_response(*received, response.get())) {
        promise->set_value(response);
      } else {
        const char * reason = failure == nullptr ? "the response can't be read" : failure;
        promise->set_exception(std::make_exception_ptr(std::runtime_error(reason)));
      }
    });
  pending_[*number] = Clock::now();
  return FutureAndRequestId(std::move(future), *number);
}

bool GenericClient::remove_pending_request(int64_t request_id)
{
  {
    std::lock_guard<std::mutex> lock(mutex_);
    pending_.erase(request_id);
  }
  return forget(request_id);
}

size_t GenericClient::prune_pending_requests() {return prune_before(std::chrono::time_point<Clock>::max()).size();}

std::vector<int64_t> GenericClient::prune_before(std::chrono::time_point<Clock> time_point)
{
  std::vector<int64_t> old;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto & [id, sent] : pending_) {
      if (sent < time_point) {
        old.push_back(id);
      }
    }
  }
  std::vector<int64_t> pruned;
  for (const int64_t id : old) {
    if (remove_pending_request(id)) {
      pruned.push_back(id);
    }
  }
  return pruned;
}

GenericClient::SharedPtr create_generic_client(
  std::shared_ptr<node_interfaces::NodeBaseInterface> node_base, std::shared_ptr<node_interfaces::NodeGraphInterface>,
  std::shared_ptr<node_interfaces::NodeServicesInterface>, const std::string & service_name,
  const std::string & service_type, const QoS & qos, CallbackGroup::SharedPtr group)
{
  return detail::owned(
    std::make_shared<GenericClient>(
      node_base.get(), get_typesupport_library(service_type, "rosidl_typesupport_cpp"), service_name, service_type, qos,
      group));
}

}  // namespace rclcpp
