#ifndef RCLCPP__ANY_SERVICE_CALLBACK_HPP_
#define RCLCPP__ANY_SERVICE_CALLBACK_HPP_

#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "rmw/types.h"

namespace rclcpp
{

template<typename ServiceT>
class Service;

namespace detail
{

/// Whether a callback of this type can be empty: a pointer or a `std::function`, but not a lambda.
template<typename Callback>
struct MayBeEmpty : std::is_pointer<Callback> {};
template<typename Signature>
struct MayBeEmpty<std::function<Signature>> : std::true_type {};

}  // namespace detail

/// The callback of a service, in any of the forms that are allowed.
template<typename ServiceT>
class AnyServiceCallback
{
public:
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;
  using SharedId = std::shared_ptr<rmw_request_id_t>;
  using SharedService = std::shared_ptr<Service<ServiceT>>;

  AnyServiceCallback() = default;
  /// \throws std::invalid_argument if the callback is empty
  template<typename CallbackT, typename = std::enable_if_t<!std::is_same_v<std::decay_t<CallbackT>, AnyServiceCallback>>>
  explicit AnyServiceCallback(CallbackT && callback) {set(std::forward<CallbackT>(callback));}

  /// Sets the callback.
  /// \throws std::invalid_argument if it is empty
  template<typename CallbackT>
  void set(CallbackT && callback)
  {
    using Callback = std::decay_t<CallbackT>;
    Callback held(std::forward<CallbackT>(callback));
    if constexpr (detail::MayBeEmpty<Callback>::value) {
      if (!held) {
        throw std::invalid_argument("AnyServiceCallback::set(): callback cannot be nullptr");
      }
    }
    if constexpr (std::is_invocable_v<Callback &, SharedRequest, SharedResponse>) {
      call_ = [held](const SharedService &, const SharedId &, const SharedRequest & request) mutable {
          auto response = std::make_shared<Response>();
          held(request, response);
          return response;
        };
    } else if constexpr (std::is_invocable_v<Callback &, SharedId, SharedRequest, SharedResponse>) {
      call_ = [held](const SharedService &, const SharedId & id, const SharedRequest & request) mutable {
          auto response = std::make_shared<Response>();
          held(id, request, response);
          return response;
        };
    } else if constexpr (std::is_invocable_v<Callback &, SharedId, SharedRequest>) {
      call_ = [held](const SharedService &, const SharedId & id, const SharedRequest & request) mutable {
          held(id, request);
          return SharedResponse();
        };
    } else {
      static_assert(
        std::is_invocable_v<Callback &, SharedService, SharedId, SharedRequest>,
        "a service callback takes (request, response), (id, request, response), (id, request) or (service, id, request), "
        "all by std::shared_ptr");
      call_ = [held](const SharedService & service, const SharedId & id, const SharedRequest & request) mutable {
          held(service, id, request);
          return SharedResponse();
        };
    }
  }

  /// Calls the callback. Returns the response, or nothing if the callback answers later.
  /// \throws std::runtime_error if there is no callback
  SharedResponse dispatch(
    const SharedService & service_handle, const SharedId & request_header, SharedRequest request) const
  {
    if (!call_) {
      throw std::runtime_error("unexpected request without any callback set");
    }
    return call_(service_handle, request_header, request);
  }

private:
  std::function<SharedResponse(const SharedService &, const SharedId &, const SharedRequest &)> call_;
};

}  // namespace rclcpp

#endif  // RCLCPP__ANY_SERVICE_CALLBACK_HPP_
