#ifndef RCLCPP__CLIENT_HPP_
#define RCLCPP__CLIENT_HPP_

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rcl/service_introspection.h"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/detail/waited.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/types.h"
#include "rosidl_typesupport_cpp/service_type_support.hpp"

struct rcl_client_s;
struct saltus_client_t;
struct saltus_message_t;

namespace rclcpp
{
namespace detail
{

/// The exception of the future of a call that has failed.
class RCLCPP_PUBLIC CallFailed : public std::runtime_error
{
public:
  explicit CallFailed(const char * reason)
  : std::runtime_error(reason) {}
};

/// A future, and the number of its request.
template<typename FutureT>
struct FutureAndRequestId
{
  FutureT future;
  int64_t request_id;

  FutureAndRequestId(FutureT impl, int64_t req_id)
  : future(std::move(impl)), request_id(req_id) {}
  FutureAndRequestId(FutureAndRequestId && other) noexcept = default;
  FutureAndRequestId(const FutureAndRequestId & other) = delete;
  FutureAndRequestId & operator=(FutureAndRequestId && other) noexcept = default;
  FutureAndRequestId & operator=(const FutureAndRequestId & other) = delete;
  ~FutureAndRequestId() = default;

  operator FutureT &() {return this->future;}  // NOLINT
  auto get() {return this->future.get();}
  bool valid() const noexcept {return this->future.valid();}
  void wait() const {this->future.wait();}
  template<class Rep, class Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period> & timeout_duration) const
  {
    return this->future.wait_for(timeout_duration);
  }
  template<class Clock, class Duration>
  std::future_status wait_until(const std::chrono::time_point<Clock, Duration> & timeout_time) const
  {
    return this->future.wait_until(timeout_time);
  }
};

}  // namespace detail

namespace detail
{

/// Throws for each state of the introspection of services but OFF.
RCLCPP_PUBLIC void refuse_introspection(rcl_service_introspection_state_t state);

}  // namespace detail

/// What clients of all types have in common.
class RCLCPP_PUBLIC ClientBase : public std::enable_shared_from_this<ClientBase>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ClientBase)

  ClientBase(
    node_interfaces::NodeBaseInterface * node_base, const rosidl_service_type_support_t & type_support,
    const std::string & service_name, const QoS & qos, const CallbackGroup::SharedPtr & group);
  ClientBase(const ClientBase &) = delete;
  ClientBase & operator=(const ClientBase &) = delete;
  virtual ~ClientBase();

  /// Ends the client: the futures of its calls have the error broken_promise.
  virtual void close();

  const char * get_service_name() const;
  /// Whether a server is connected.
  bool service_is_ready() const;
  /// Waits until a server is connected. A negative timeout is none. Returns false after the timeout, or a shutdown.
  template<typename RepT = int64_t, typename RatioT = std::milli>
  bool wait_for_service(
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return wait_for_service_nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }
  rclcpp::QoS get_request_publisher_actual_qos() const {return qos_;}
  rclcpp::QoS get_response_subscription_actual_qos() const {return qos_;}

  /// Whether a wait set has the client. Returns whether one had it before.
  bool exchange_in_use_by_wait_set_state(bool in_use_state) {return waited_.exchange(in_use_state);}
  /// Returns a new response.
  std::shared_ptr<void> create_response();
  std::shared_ptr<rmw_request_id_t> create_request_header() {return std::make_shared<rmw_request_id_t>();}
  /// Takes a response that has come while a wait set waited. Returns false if there is none.
  bool take_type_erased_response(void * response_out, rmw_request_id_t & request_header_out);
  /// Completes the future of a response that was taken.
  void handle_response(std::shared_ptr<rmw_request_id_t> request_header, std::shared_ptr<void> response);

  /// Returns the client of libsaltus.
  saltus_client_t * get_saltus_client() const {return handle_;}
  std::shared_ptr<rcl_client_s> get_client_handle();
  std::shared_ptr<const rcl_client_s> get_client_handle() const;
  /// Whether a response waits to be taken.
  bool has_response() const;
  /// What a wait set needs of the client.
  detail::Waited & waited() {return waited_;}

protected:
  /// Called with the outcome of a call: the response, or NULL and the reason why there is none.
  using Outcome = std::function<void (const saltus_message_t * response, const char * failure)>;

  bool wait_for_service_nanoseconds(std::chrono::nanoseconds timeout);
  /// Calls the service. Returns the number of the call.
  /// \throws rclcpp::exceptions::RCLError if the request can't be sent
  int64_t call(const void * request, Outcome outcome);
  /// Forgets a call. Returns whether it had no outcome yet.
  bool forget(int64_t number);
  /// Logs that a call has failed, and that its callback did not handle the exception of the future.
  void report_unhandled(const std::exception & failure) const;
  /// Reads a response. Returns false if it is not one of its type.
  bool read_response(const saltus_message_t & received, void * response) const;

private:
  struct State;
  friend struct ClientCalls;

  std::shared_ptr<saltus_node_t> node_;
  std::shared_ptr<Context> context_;
  std::unique_ptr<State> state_;
  detail::Waited waited_;
  const rosidl_service_type_support_t * type_support_;
  QoS qos_;
  saltus_client_t * handle_ = nullptr;
};

/// A client of a service.
template<typename ServiceT>
class Client : public ClientBase
{
public:
  using Service = ServiceT;
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using SharedRequest = typename ServiceT::Request::SharedPtr;
  using SharedResponse = typename ServiceT::Response::SharedPtr;
  using Promise = std::promise<SharedResponse>;
  using PromiseWithRequest = std::promise<std::pair<SharedRequest, SharedResponse>>;
  using SharedPromise = std::shared_ptr<Promise>;
  using SharedPromiseWithRequest = std::shared_ptr<PromiseWithRequest>;
  using Future = std::future<SharedResponse>;
  using SharedFuture = std::shared_future<SharedResponse>;
  using SharedFutureWithRequest = std::shared_future<std::pair<SharedRequest, SharedResponse>>;
  using CallbackType = std::function<void (SharedFuture)>;
  using CallbackWithRequestType = std::function<void (SharedFutureWithRequest)>;

  RCLCPP_SMART_PTR_DEFINITIONS(Client)

  /// The future of a response, and the number of the request.
  struct FutureAndRequestId : detail::FutureAndRequestId<std::future<SharedResponse>>
  {
    using detail::FutureAndRequestId<std::future<SharedResponse>>::FutureAndRequestId;

    [[deprecated("use .share() of the result")]]
    operator SharedFuture() {return this->future.share();}  // NOLINT
    SharedFuture share() noexcept {return this->future.share();}
  };
  struct SharedFutureAndRequestId : detail::FutureAndRequestId<std::shared_future<SharedResponse>>
  {
    using detail::FutureAndRequestId<std::shared_future<SharedResponse>>::FutureAndRequestId;
  };
  struct SharedFutureWithRequestAndRequestId
    : detail::FutureAndRequestId<std::shared_future<std::pair<SharedRequest, SharedResponse>>>
  {
    using detail::FutureAndRequestId<
      std::shared_future<std::pair<SharedRequest, SharedResponse>>>::FutureAndRequestId;
  };

  Client(
    node_interfaces::NodeBaseInterface * node_base, const std::string & service_name, const QoS & qos,
    const CallbackGroup::SharedPtr & group)
  : ClientBase(
      node_base, *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), service_name, qos, group) {}

  /// Sends a request. The future is ready when an executor has taken the response. If the server ends before it answers, or
  /// drops the request, `get()` of the future throws std::runtime_error with the reason.
  FutureAndRequestId async_send_request(SharedRequest request)
  {
    auto promise = std::make_shared<Promise>();
    auto future = promise->get_future();
    const int64_t id = send(*request, promise, [](const SharedResponse & response) {return response;}, [] {});
    return FutureAndRequestId(std::move(future), id);
  }

  /// As above. An executor calls `cb` with the future. If the call has failed, and `cb` lets the exception of `get()` pass, the
  /// failure is logged, and the executor goes on.
  template<
    typename CallbackT,
    typename std::enable_if_t<std::is_invocable_v<CallbackT &, SharedFuture>> * = nullptr>
  SharedFutureAndRequestId async_send_request(SharedRequest request, CallbackT && cb)
  {
    auto promise = std::make_shared<Promise>();
    SharedFuture future(promise->get_future());
    const int64_t id = send(
      *request, promise, [](const SharedResponse & response) {return response;},
      [future, cb = std::forward<CallbackT>(cb)]() mutable {cb(future);});
    return SharedFutureAndRequestId(std::move(future), id);
  }

  /// As above. The future has the request too.
  template<
    typename CallbackT,
    typename std::enable_if_t<
      !std::is_invocable_v<CallbackT &, SharedFuture>&& std::is_invocable_v<CallbackT &, SharedFutureWithRequest>> * =
    nullptr>
  SharedFutureWithRequestAndRequestId async_send_request(SharedRequest request, CallbackT && cb)
  {
    auto promise = std::make_shared<PromiseWithRequest>();
    SharedFutureWithRequest future(promise->get_future());
    const int64_t id = send(
      *request, promise, [request](const SharedResponse & response) {return std::make_pair(request, response);},
      [future, cb = std::forward<CallbackT>(cb)]() mutable {cb(future);});
    return SharedFutureWithRequestAndRequestId(std::move(future), id);
  }

  /// Accepts only RCL_SERVICE_INTROSPECTION_OFF: Saltus does not publish requests and responses.
  /// \throws rclcpp::exceptions::UnimplementedError for another state
  void configure_introspection(Clock::SharedPtr, const QoS &, rcl_service_introspection_state_t introspection_state)
  {
    detail::refuse_introspection(introspection_state);
  }

  /// Takes a response that has come while a wait set waited. Returns false if there is none.
  bool take_response(Response & response_out, rmw_request_id_t & request_header_out)
  {
    return take_type_erased_response(&response_out, request_header_out);
  }

  /// Forgets a request. Returns whether it had no response yet.
  bool remove_pending_request(int64_t request_id)
  {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      pending_.erase(request_id);
    }
    return forget(request_id);
  }
  bool remove_pending_request(const FutureAndRequestId & future) {return remove_pending_request(future.request_id);}
  bool remove_pending_request(const SharedFutureAndRequestId & future)
  {
    return remove_pending_request(future.request_id);
  }
  bool remove_pending_request(const SharedFutureWithRequestAndRequestId & future)
  {
    return remove_pending_request(future.request_id);
  }
  /// Forgets all requests. Returns how many had no response yet.
  size_t prune_pending_requests() {return prune([](const auto &) {return true;}, nullptr);}
  /// Forgets the requests that were sent before a time. Returns how many, and adds their numbers to `pruned_requests`.
  template<typename AllocatorT = std::allocator<int64_t>>
  size_t prune_requests_older_than(
    std::chrono::time_point<std::chrono::system_clock> time_point,
    std::vector<int64_t, AllocatorT> * pruned_requests = nullptr)
  {
    return prune([time_point](const auto & sent) {return sent < time_point;}, pruned_requests);
  }

private:
  using SentAt = std::chrono::time_point<std::chrono::system_clock>;

  template<typename PromiseT, typename Value, typename Then>
  int64_t send(const Request & request, std::shared_ptr<PromiseT> promise, Value value, Then then)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto number = std::make_shared<int64_t>(0);
    const int64_t id = call(
      &request, [this, promise, value, then, number](const saltus_message_t * received, const char * failure) mutable {
        {
          // Waits until the number is known.
          std::lock_guard<std::mutex> known(mutex_);
          pending_.erase(*number);
        }
        auto response = std::make_shared<Response>();
        if (received != nullptr && read_response(*received, response.get())) {
          promise->set_value(value(response));
          then();
          return;
        }
        const char * reason = failure == nullptr ? "the response can't be read" : failure;
        promise->set_exception(std::make_exception_ptr(detail::CallFailed(reason)));
        // In ROS 2 the callback of a failed call never runs. Here get() throws, and that ends the callback.
        try {
          then();
        } catch (const detail::CallFailed & failed) {
          report_unhandled(failed);
        }
      });
    *number = id;
    pending_[id] = std::chrono::system_clock::now();
    return id;
  }

  template<typename Predicate, typename Numbers>
  size_t prune(Predicate is_old, Numbers * pruned)
  {
    std::vector<int64_t> old;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const auto & [id, sent] : pending_) {
        if (is_old(sent)) {
          old.push_back(id);
        }
      }
    }
    size_t count = 0;
    for (const int64_t id : old) {
      if (remove_pending_request(id)) {
        count += 1;
        if constexpr (!std::is_void_v<Numbers>) {
          if (pruned != nullptr) {
            pruned->push_back(id);
          }
        }
      }
    }
    return count;
  }
  template<typename Predicate>
  size_t prune(Predicate is_old, std::nullptr_t) {return prune(is_old, static_cast<std::vector<int64_t> *>(nullptr));}

  std::mutex mutex_;
  std::map<int64_t, SentAt> pending_;
};

}  // namespace rclcpp

#endif  // RCLCPP__CLIENT_HPP_
