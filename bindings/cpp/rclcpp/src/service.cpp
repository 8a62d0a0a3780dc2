#include "rclcpp/service.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "libsaltus.hpp"
#include "libsaltus_qos.hpp"
#include "rcl/service.h"
#include "rclcpp/logging.hpp"

namespace rclcpp
{

/// What answers a request.
using Responder = std::unique_ptr<saltus_responder_t, void (*)(saltus_responder_t *)>;
/// A request that was not answered yet: the gid of its client, and its number.
using RequestKey = std::pair<std::array<uint8_t, 16>, int64_t>;

/// What a service has besides its handle.
struct ServiceBase::State
{
  State(const std::string & name_, const QoS & qos_, const CallbackGroup::SharedPtr & group_)
  : name(name_), qos(qos_), group(group_) {}

  std::string name;
  QoS qos;
  CallbackGroup::SharedPtr group;
  mutable std::mutex mutex;
  std::map<RequestKey, Responder> waiting;
  /// The requests that a wait set has received, and nobody has taken.
  std::deque<std::pair<rmw_request_id_t, std::shared_ptr<saltus_message_t>>> kept;
  rcl_service_t handle{};
};

namespace
{

RequestKey key_of(const rmw_request_id_t & id)
{
  RequestKey key{{}, id.sequence_number};
  std::memcpy(key.first.data(), id.writer_guid, key.first.size());
  return key;
}

}  // namespace

/// The functions that libsaltus calls.
struct ServiceCalls
{
  using Weak = std::weak_ptr<ServiceBase>;

  static saltus_next_t on_request(void * context, saltus_message_t * request, saltus_responder_t * responder)
  {
    const auto service = static_cast<Weak *>(context)->lock();
    Responder owner(responder, &saltus_responder_destroy);
    return service ? detail::guarded([&] {serve(*service, *request, std::move(owner));}) : SALTUS_CONTINUE;
  }

  static void drop(void * context) {delete static_cast<Weak *>(context);}

  static void serve(ServiceBase & service, saltus_message_t & request, Responder responder)
  {
    saltus_gid_t client{};
    uint64_t sequence = 0;
    saltus_responder_request(responder.get(), &client, &sequence);
    rmw_request_id_t id{};
    id.sequence_number = static_cast<int64_t>(sequence);
    std::memcpy(id.writer_guid, client.bytes, sizeof client.bytes);
    {
      std::lock_guard<std::mutex> lock(service.state_->mutex);
      service.state_->waiting.insert_or_assign(key_of(id), std::move(responder));
    }
    if (service.waited_.is_in_use()) {
      return keep(service, id, request);
    }
    try {
      service.serve(id, request);
    } catch (...) {
      // The client learns at once that there is no response.
      take(*service.state_, id);
      throw;
    }
  }

  static void keep(ServiceBase & service, const rmw_request_id_t & id, saltus_message_t & request)
  {
    auto * kept = detail::created<saltus_message_t>(
      "failed to keep a request", [&](saltus_message_t ** place) {return saltus_message_keep(&request, place);});
    {
      std::lock_guard<std::mutex> lock(service.state_->mutex);
      service.state_->kept.emplace_back(id, detail::shared(kept, &saltus_message_destroy));
    }
    service.waited_.notify();
  }

  /// Takes the responder of a request, or nothing.
  static Responder take(ServiceBase::State & state, const rmw_request_id_t & id)
  {
    std::lock_guard<std::mutex> lock(state.mutex);
    const auto found = state.waiting.find(key_of(id));
    if (found == state.waiting.end()) {
      return Responder(nullptr, &saltus_responder_destroy);
    }
    auto responder = std::move(found->second);
    state.waiting.erase(found);
    return responder;
  }
};

ServiceBase::ServiceBase(
  node_interfaces::NodeBaseInterface * node_base, const rosidl_service_type_support_t & type_support,
  const std::string & service_name, const QoS & qos, const CallbackGroup::SharedPtr & group)
: node_(node_base->get_shared_saltus_node()), type_support_(&type_support),
  state_(std::make_unique<State>(service_name, qos, group)),
  waited_(group ? group : node_base->get_default_callback_group())
{
  if (group && !node_base->callback_group_in_node(group)) {
    throw std::runtime_error("Cannot create service, group not in node.");
  }
}

ServiceBase::~ServiceBase() {close();}

void ServiceBase::open()
{
  const saltus_type_t type = detail::type_of(detail::support_of(type_support_));
  const saltus_qos_t qos = detail::to_saltus(state_->qos.get_rmw_qos_profile());
  saltus_service_options_t options;
  saltus_service_options_init(&options, sizeof options);
  options.service = state_->name.c_str();
  options.type = &type;
  options.qos = &qos;
  options.group = state_->group ? state_->group->get_saltus_group() : nullptr;
  handle_ = detail::created<saltus_service_t>(
    "could not create service", [&](saltus_service_t ** place) {
      return saltus_service_create(
        node_.get(), &options, &ServiceCalls::on_request, new ServiceCalls::Weak(weak_from_this()), &ServiceCalls::drop,
        place);
    }, state_->name);
  state_->handle.impl = reinterpret_cast<rcl_service_impl_t *>(handle_);
}

void ServiceBase::close()
{
  saltus_service_destroy(handle_);
  handle_ = nullptr;
}

const char * ServiceBase::get_service_name() {return saltus_service_name(handle_);}

QoS ServiceBase::get_request_subscription_actual_qos() const {return state_->qos;}

QoS ServiceBase::get_response_publisher_actual_qos() const {return state_->qos;}

std::shared_ptr<void> ServiceBase::create_request()
{
  const auto & support = detail::support_of(detail::support_of(type_support_).request);
  return std::shared_ptr<void>(support.create(), support.destroy);
}

bool ServiceBase::has_request() const
{
  std::lock_guard<std::mutex> lock(state_->mutex);
  return !state_->kept.empty();
}

bool ServiceBase::take_type_erased_request(void * request_out, rmw_request_id_t & request_id_out)
{
  std::shared_ptr<saltus_message_t> request;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->kept.empty()) {
      return false;
    }
    request_id_out = state_->kept.front().first;
    request = std::move(state_->kept.front().second);
    state_->kept.pop_front();
  }
  const bool is_readable = read_request(*request, request_out);
  if (!is_readable) {
    drop_request(request_id_out);
  }
  return is_readable;
}

std::shared_ptr<rcl_service_s> ServiceBase::get_service_handle()
{
  return std::shared_ptr<rcl_service_s>(shared_from_this(), &state_->handle);
}

std::shared_ptr<const rcl_service_s> ServiceBase::get_service_handle() const
{
  return std::shared_ptr<const rcl_service_s>(shared_from_this(), &state_->handle);
}

bool ServiceBase::read_request(const saltus_message_t & received, void * request) const
{
  const auto & support = detail::support_of(detail::support_of(type_support_).request);
  const char * fault = support.read(request, saltus_message_data(&received), saltus_message_size(&received));
  if (fault != nullptr) {
    RCLCPP_ERROR(get_logger("rclcpp"), "service '%s': a request can't be read: %s", state_->name.c_str(), fault);
  }
  return fault == nullptr;
}

void ServiceBase::drop_request(const rmw_request_id_t & id) {ServiceCalls::take(*state_, id);}

void ServiceBase::send(const rmw_request_id_t & id, const void * response)
{
  Responder responder = ServiceCalls::take(*state_, id);
  if (!responder) {
    throw exceptions::RCLError(RCL_RET_ERROR, "the request is unknown or answered already", "failed to send response");
  }
  const auto & support = detail::support_of(detail::support_of(type_support_).response);
  const size_t size = detail::size_of(support, response, "failed to send response");
  const saltus_status_t status = saltus_responder_send_with(responder.release(), size, support.write, response);
  if (status == SALTUS_CLIENT_GONE) {
    RCLCPP_WARN(
      get_logger("rclcpp"), "failed to send response to %s (timeout): the client has gone", state_->name.c_str());
    return;
  }
  detail::check(status, "failed to send response");
}

}  // namespace rclcpp
