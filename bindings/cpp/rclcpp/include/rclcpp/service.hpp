#ifndef RCLCPP__SERVICE_HPP_
#define RCLCPP__SERVICE_HPP_

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "rcl/service_introspection.h"
#include "rclcpp/any_service_callback.hpp"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/detail/waited.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/types.h"
#include "rosidl_typesupport_cpp/service_type_support.hpp"

struct rcl_service_s;
struct saltus_message_t;
struct saltus_service_t;

namespace rclcpp
{

namespace detail
{

/// Throws for each state of the introspection of services but OFF.
RCLCPP_PUBLIC void refuse_introspection(rcl_service_introspection_state_t state);

}  // namespace detail

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

  /// Whether a wait set has the service. Returns whether one had it before.
  bool exchange_in_use_by_wait_set_state(bool in_use_state) {return waited_.exchange(in_use_state);}
  /// Returns a new request.
  std::shared_ptr<void> create_request();
  std::shared_ptr<rmw_request_id_t> create_request_header() {return std::make_shared<rmw_request_id_t>();}
  /// Takes a request that has come while a wait set waited. Returns false if there is none.
  bool take_type_erased_request(void * request_out, rmw_request_id_t & request_id_out);
  /// Calls the callback with a request that was taken.
  virtual void handle_request(std::shared_ptr<rmw_request_id_t> request_header, std::shared_ptr<void> request) = 0;

  /// Returns the service of libsaltus.
  saltus_service_t * get_saltus_service() const {return handle_;}
  std::shared_ptr<rcl_service_s> get_service_handle();
  std::shared_ptr<const rcl_service_s> get_service_handle() const;
  /// Whether a request waits to be taken.
  bool has_request() const;
  /// What a wait set needs of the service.
  detail::Waited & waited() {return waited_;}

protected:
  /// Answers a request.
  virtual void serve(const rmw_request_id_t & id, const saltus_message_t & received) = 0;
  /// Reads a request. Returns false if it is not one of its type.
  bool read_request(const saltus_message_t & received, void * request) const;
  /// Drops a request: its client learns that there is no response.
  void drop_request(const rmw_request_id_t & id);
  /// Sends the response to a request. A client that has gone is a warning.
  /// \throws rclcpp::exceptions::RCLError if the request is unknown or answered, or if the response can't be sent
  void send(const rmw_request_id_t & id, const void * response);

private:
  struct State;
  friend struct ServiceCalls;

  std::shared_ptr<saltus_node_t> node_;
  const rosidl_service_type_support_t * type_support_;
  std::unique_ptr<State> state_;
  detail::Waited waited_;
  saltus_service_t * handle_ = nullptr;
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
    callback_(std::forward<CallbackT>(callback)) {}

  /// Accepts only RCL_SERVICE_INTROSPECTION_OFF: Saltus does not publish requests and responses.
  /// \throws rclcpp::exceptions::UnimplementedError for another state
  void configure_introspection(Clock::SharedPtr, const QoS &, rcl_service_introspection_state_t introspection_state)
  {
    detail::refuse_introspection(introspection_state);
  }

  /// Takes a request that has come while a wait set waited. Returns false if there is none.
  bool take_request(typename ServiceT::Request & request_out, rmw_request_id_t & request_id_out)
  {
    return take_type_erased_request(&request_out, request_id_out);
  }

  void handle_request(std::shared_ptr<rmw_request_id_t> request_header, std::shared_ptr<void> request) override
  {
    answer(request_header, std::static_pointer_cast<typename ServiceT::Request>(request));
  }

  /// Answers a request later.
  void send_response(rmw_request_id_t & req_id, typename ServiceT::Response & response) {send(req_id, &response);}

protected:
  void serve(const rmw_request_id_t & id, const saltus_message_t & received) override
  {
    auto request = std::make_shared<typename ServiceT::Request>();
    if (!read_request(received, request.get())) {
      drop_request(id);
      return;
    }
    answer(std::make_shared<rmw_request_id_t>(id), request);
  }

private:
  void answer(
    const std::shared_ptr<rmw_request_id_t> & id, const std::shared_ptr<typename ServiceT::Request> & request)
  {
    auto self = std::static_pointer_cast<Service>(shared_from_this());
    if (auto response = callback_.dispatch(self, id, request)) {
      send(*id, response.get());
    }
  }

  AnyServiceCallback<ServiceT> callback_;
};

}  // namespace rclcpp

#endif  // RCLCPP__SERVICE_HPP_
