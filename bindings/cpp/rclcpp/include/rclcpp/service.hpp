#ifndef RCLCPP__SERVICE_HPP_
#define RCLCPP__SERVICE_HPP_

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/types.h"
#include "rosidl_typesupport_cpp/service_type_support.hpp"

struct saltus_message_t;
struct saltus_service_t;

namespace rclcpp
{

/// What services of all types have in common.
class RCLCPP_PUBLIC ServiceBase : public std::enable_shared_from_this<ServiceBase>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ServiceBase)

  ServiceBase(
    node_interfaces::NodeBaseInterface * node_base, const rosidl_service_type_support_t & type_support,
    const std::string & service_name, const QoS & qos, const CallbackGroup::SharedPtr & group);
  ServiceBase(const ServiceBase &) = delete;
  ServiceBase & operator=(const ServiceBase &) = delete;
  virtual ~ServiceBase();

  /// Opens the service. It is called once, by the function that creates it.
  void open();
  /// Ends the service. A callback that runs on another thread has returned when this returns.
  void close();

  const char * get_service_name();
  rclcpp::QoS get_request_subscription_actual_qos() const;
  rclcpp::QoS get_response_publisher_actual_qos() const;

  /// Returns the service of libsaltus.
  saltus_service_t * get_saltus_service() const {return handle_;}

protected:
  /// Answers a request.
  virtual void serve(const rmw_request_id_t & id, const saltus_message_t & received) = 0;
  /// Reads a request. Returns false if it is not one of its type.
  bool read_request(const saltus_message_t & received, void * request) const;
  /// Sends the response to a request. A client that has gone is a warning.
  /// \throws rclcpp::exceptions::RCLError if the request is unknown or answered, or if the response can't be sent
  void send(const rmw_request_id_t & id, const void * response);

private:
  struct State;
  friend struct ServiceCalls;

  std::shared_ptr<saltus_node_t> node_;
  const rosidl_service_type_support_t * type_support_;
  std::unique_ptr<State> state_;
  saltus_service_t * handle_ = nullptr;
};

/// Whether a callback of this type can be empty: a pointer or a `std::function`, but not a lambda.
template<typename Callback>
struct MayBeEmpty : std::is_pointer<Callback> {};
template<typename Signature>
struct MayBeEmpty<std::function<Signature>> : std::true_type {};

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

  /// Returns the response, or nothing if the callback answers later.
  template<typename ServiceHandle>
  using Call = std::function<SharedResponse(const std::shared_ptr<ServiceHandle> &, const SharedId &, const SharedRequest &)>;

  template<typename ServiceHandle, typename CallbackT>
  static Call<ServiceHandle> make(CallbackT && callback)
  {
    using Callback = std::decay_t<CallbackT>;
    using Handle = std::shared_ptr<ServiceHandle>;
    Callback held(std::forward<CallbackT>(callback));
    if constexpr (MayBeEmpty<Callback>::value) {
      if (!held) {
        throw std::invalid_argument("AnyServiceCallback::set(): callback cannot be nullptr");
      }
    }
    if constexpr (std::is_invocable_v<Callback &, SharedRequest, SharedResponse>) {
      return [held](const Handle &, const SharedId &, const SharedRequest & request) mutable {
               auto response = std::make_shared<Response>();
               held(request, response);
               return response;
             };
    } else if constexpr (std::is_invocable_v<Callback &, SharedId, SharedRequest, SharedResponse>) {
      return [held](const Handle &, const SharedId & id, const SharedRequest & request) mutable {
               auto response = std::make_shared<Response>();
               held(id, request, response);
               return response;
             };
    } else if constexpr (std::is_invocable_v<Callback &, SharedId, SharedRequest>) {
      return [held](const Handle &, const SharedId & id, const SharedRequest & request) mutable {
               held(id, request);
               return SharedResponse();
             };
    } else {
      static_assert(
        std::is_invocable_v<Callback &, Handle, SharedId, SharedRequest>,
        "a service callback takes (request, response), (id, request, response), (id, request) or (service, id, request), "
        "all by std::shared_ptr");
      return [held](const Handle & service, const SharedId & id, const SharedRequest & request) mutable {
               held(service, id, request);
               return SharedResponse();
             };
    }
  }
};

/// A server of a service.
template<typename ServiceT>
class Service : public ServiceBase
{
public:
  using CallbackType = std::function<
    void (const std::shared_ptr<typename ServiceT::Request>, std::shared_ptr<typename ServiceT::Response>)>;
  using CallbackWithHeaderType = std::function<
    void (const std::shared_ptr<rmw_request_id_t>, const std::shared_ptr<typename ServiceT::Request>,
    std::shared_ptr<typename ServiceT::Response>)>;

  RCLCPP_SMART_PTR_DEFINITIONS(Service)

  template<typename CallbackT>
  Service(
    node_interfaces::NodeBaseInterface * node_base, const std::string & service_name, CallbackT && callback,
    const QoS & qos, const CallbackGroup::SharedPtr & group)
  : ServiceBase(
      node_base, *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), service_name, qos, group),
    callback_(AnyServiceCallback<ServiceT>::template make<Service>(std::forward<CallbackT>(callback))) {}

  /// Answers a request later.
  void send_response(rmw_request_id_t & req_id, typename ServiceT::Response & response) {send(req_id, &response);}

protected:
  void serve(const rmw_request_id_t & id, const saltus_message_t & received) override
  {
    auto request = std::make_shared<typename ServiceT::Request>();
    if (!read_request(received, request.get())) {
      return;
    }
    auto self = std::static_pointer_cast<Service>(shared_from_this());
    auto shared_id = std::make_shared<rmw_request_id_t>(id);
    if (auto response = callback_(self, shared_id, request)) {
      send(id, response.get());
    }
  }

private:
  typename AnyServiceCallback<ServiceT>::template Call<Service> callback_;
};

}  // namespace rclcpp

#endif  // RCLCPP__SERVICE_HPP_
