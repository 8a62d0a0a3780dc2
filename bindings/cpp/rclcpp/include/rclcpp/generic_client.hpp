#ifndef RCLCPP__GENERIC_CLIENT_HPP_
#define RCLCPP__GENERIC_CLIENT_HPP_

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/client.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/typesupport_helpers.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// A client of a service whose type the program knows only by its name. Requests and responses are C++ messages behind pointers
/// to void.
class RCLCPP_PUBLIC GenericClient : public ClientBase
{
public:
  using Request = void *;
  using Response = void *;
  using SharedResponse = std::shared_ptr<void>;
  using Promise = std::promise<SharedResponse>;
  using SharedPromise = std::shared_ptr<Promise>;
  using Future = std::future<SharedResponse>;
  using SharedFuture = std::shared_future<SharedResponse>;

  RCLCPP_SMART_PTR_DEFINITIONS(GenericClient)

  struct FutureAndRequestId : detail::FutureAndRequestId<Future>
  {
    using detail::FutureAndRequestId<Future>::FutureAndRequestId;

    SharedFuture share() noexcept {return this->future.share();}
  };

  /// The library has the type: see get_typesupport_library().
  GenericClient(
    node_interfaces::NodeBaseInterface * node_base, std::shared_ptr<rcpputils::SharedLibrary> ts_lib,
    const std::string & service_name, const std::string & service_type, const QoS & qos,
    const CallbackGroup::SharedPtr & group)
  : ClientBase(
      node_base, *get_service_typesupport_handle(service_type, "rosidl_typesupport_cpp", *ts_lib), service_name, qos,
      group),
    ts_lib_(std::move(ts_lib)) {}
  /// The client is closed before its library is.
  ~GenericClient() override {ClientBase::close();}

  /// Sends a request, which stays the caller's. See Client::async_send_request().
  FutureAndRequestId async_send_request(const Request request);
  /// Forgets a request. Returns whether it had no response yet.
  bool remove_pending_request(int64_t request_id);
  /// Forgets all requests. Returns how many had no response yet.
  size_t prune_pending_requests();
  /// Forgets the requests that were sent before a time. Returns how many, and adds their numbers to `pruned_requests`.
  template<typename AllocatorT = std::allocator<int64_t>>
  size_t prune_requests_older_than(
    std::chrono::time_point<std::chrono::system_clock> time_point,
    std::vector<int64_t, AllocatorT> * pruned_requests = nullptr)
  {
    const std::vector<int64_t> pruned = prune_before(time_point);
    if (pruned_requests != nullptr) {
      pruned_requests->insert(pruned_requests->end(), pruned.begin(), pruned.end());
    }
    return pruned.size();
  }

private:
  using Clock = std::chrono::system_clock;

  std::vector<int64_t> prune_before(std::chrono::time_point<Clock> time_point);

  std::mutex mutex_;
  std::map<int64_t, std::chrono::time_point<Clock>> pending_;
  std::shared_ptr<rcpputils::SharedLibrary> ts_lib_;
};

}  // namespace rclcpp

#endif  // RCLCPP__GENERIC_CLIENT_HPP_
