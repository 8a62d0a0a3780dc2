#include "rclcpp/client.hpp"

#include <atomic>
#include <deque>
#include <iterator>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "libsaltus.hpp"
#include "libsaltus_qos.hpp"
#include "rcl/client.h"
#include "rclcpp/logging.hpp"

namespace rclcpp
{
namespace
{

using Outcome = std::function<void (const saltus_message_t *, const char *)>;

/// A call that has no outcome yet.
struct Pending
{
  Outcome outcome;
  /// It is 0 until the function that makes the call has returned.
  std::atomic<int64_t> number{0};

  explicit Pending(Outcome given)
  : outcome(std::move(given)) {}

  /// Returns the number as soon as it is known.
  int64_t known_number() const
  {
    while (number == 0) {
      std::this_thread::yield();
    }
    return number;
  }
};

/// A response that the program has not handled yet.
struct Response
{
  std::shared_ptr<Pending> call;
  std::shared_ptr<saltus_message_t> message;
};

}  // namespace

/// What a client has for wait sets, and for calls without a server.
struct ClientBase::State
{
  std::mutex mutex;
  CallbackGroup::SharedPtr group;
  /// The calls that were not made because there was no server, and why. Their numbers are negative.
  std::map<int64_t, std::pair<std::shared_ptr<Pending>, std::string>> unsent;
  int64_t last_unsent = 0;
  /// Makes the executor tell them. It is made for the first of them.
  saltus_guard_t * guard = nullptr;
  /// The responses that wait to be taken.
  std::deque<Response> waiting;
  /// The responses that were taken, by their numbers.
  std::map<int64_t, Response> taken;
  rcl_client_t handle{};
};

/// The functions that libsaltus calls.
struct ClientCalls
{
  /// The context of a call.
  struct Call
  {
    std::weak_ptr<ClientBase> client;
    std::shared_ptr<Pending> pending;
  };

  static saltus_next_t on_response(void * context, saltus_status_t status, saltus_message_t * response)
  {
    Call & call = *static_cast<Call *>(context);
    const auto client = call.client.lock();
    if (status == SALTUS_OK && client && client->waited_.is_in_use()) {
      return detail::guarded([&] {keep(*client, call, *response);});
    }
    return detail::guarded([&] {
               const std::string reason = status == SALTUS_OK ? std::string() : detail::last_error();
               call.pending->outcome(response, status == SALTUS_OK ? nullptr : reason.c_str());
             });
  }

  static void keep(ClientBase & client, Call & call, saltus_message_t & response)
  {
    auto * kept = detail::created<saltus_message_t>(
      "failed to keep a response", [&](saltus_message_t ** place) {return saltus_message_keep(&response, place);});
    {
      std::lock_guard<std::mutex> lock(client.state_->mutex);
      client.state_->waiting.push_back({call.pending, detail::shared(kept, &saltus_message_destroy)});
    }
    client.waited_.notify();
  }

  static void drop(void * context) {delete static_cast<Call *>(context);}

  /// Makes an executor give a call its outcome: there is no server. Returns the number of the call.
  static int64_t fail_soon(ClientBase & client, const std::shared_ptr<Pending> & pending, const std::string & reason)
  {
    auto & state = *client.state_;
    std::lock_guard<std::mutex> lock(state.mutex);
    if (state.guard == nullptr) {
      state.guard = detail::created<saltus_guard_t>(
        "failed to send request", [&](saltus_guard_t ** place) {
          return saltus_guard_create(
            client.node_.get(), state.group->get_saltus_group(), &on_unsent,
            new std::weak_ptr<ClientBase>(client.weak_from_this()), &drop_client, place);
        });
    }
    state.last_unsent -= 1;
    pending->number = state.last_unsent;
    state.unsent[state.last_unsent] = {pending, reason};
    detail::check(saltus_guard_trigger(state.guard), "failed to send request");
    return state.last_unsent;
  }

  static saltus_next_t on_unsent(void * context)
  {
    const auto client = static_cast<std::weak_ptr<ClientBase> *>(context)->lock();
    if (!client) {
      return SALTUS_CONTINUE;
    }
    return detail::guarded([&] {
               const auto [pending, reason] = take_unsent(*client);
               if (pending) {
                 pending->outcome(nullptr, reason.c_str());
               }
             });
  }

  /// Takes the oldest call without a server. If there are more, the executor calls again.
  static std::pair<std::shared_ptr<Pending>, std::string> take_unsent(ClientBase & client)
  {
    auto & state = *client.state_;
    std::lock_guard<std::mutex> lock(state.mutex);
    if (state.unsent.empty()) {
      return {};
    }
    const auto oldest = std::prev(state.unsent.end());
    auto taken = std::move(oldest->second);
    state.unsent.erase(oldest);
    if (!state.unsent.empty()) {
      detail::check(saltus_guard_trigger(state.guard), "failed to answer a call");
    }
    return taken;
  }

  static void drop_client(void * context) {delete static_cast<std::weak_ptr<ClientBase> *>(context);}
};

ClientBase::ClientBase(
  node_interfaces::NodeBaseInterface * node_base, const rosidl_service_type_support_t & type_support,
  const std::string & service_name, const QoS & qos, const CallbackGroup::SharedPtr & group)
: node_(node_base->get_shared_saltus_node()), context_(node_base->get_context()), state_(std::make_unique<State>()),
  waited_(group ? group : node_base->get_default_callback_group()), type_support_(&type_support), qos_(qos)
{
  if (group && !node_base->callback_group_in_node(group)) {
    throw std::runtime_error("Cannot create client, group not in node.");
  }
  state_->group = group ? group : node_base->get_default_callback_group();
  const saltus_type_t type = detail::type_of(detail::support_of(type_support_));
  const saltus_qos_t saltus_qos = detail::to_saltus(qos.get_rmw_qos_profile());
  saltus_service_options_t options;
  saltus_service_options_init(&options, sizeof options);
  options.service = service_name.c_str();
  options.type = &type;
  options.qos = &saltus_qos;
  options.group = group ? group->get_saltus_group() : nullptr;
  handle_ = detail::created<saltus_client_t>(
    "could not create client", [&](saltus_client_t ** place) {
      return saltus_client_create(node_.get(), &options, place);
    }, service_name);
  state_->handle.impl = reinterpret_cast<rcl_client_impl_t *>(handle_);
}

ClientBase::~ClientBase() {ClientBase::close();}

void ClientBase::close()
{
  saltus_guard_destroy(std::exchange(state_->guard, nullptr));
  saltus_client_destroy(std::exchange(handle_, nullptr));
}

void detail::refuse_introspection(rcl_service_introspection_state_t state)
{
  if (state != RCL_SERVICE_INTROSPECTION_OFF) {
    throw exceptions::UnimplementedError(
            "the introspection of services is not supported: Saltus does not publish requests and responses");
  }
}

const char * ClientBase::get_service_name() const {return saltus_client_name(handle_);}

bool ClientBase::service_is_ready() const {return saltus_client_is_ready(handle_);}

bool ClientBase::wait_for_service_nanoseconds(std::chrono::nanoseconds timeout)
{
  return saltus_client_wait(handle_, timeout.count()) == SALTUS_OK;
}

void ClientBase::report_unhandled(const std::exception & failure) const
{
  RCLCPP_ERROR(get_logger("rclcpp"), "a call of '%s' has failed: %s", get_service_name(), failure.what());
}

int64_t ClientBase::call(const void * request, Outcome outcome)
{
  const auto & support = detail::support_of(detail::support_of(type_support_).request);
  const size_t size = detail::size_of(support, request, "failed to send request");
  const auto pending = std::make_shared<Pending>(std::move(outcome));
  auto * context = new ClientCalls::Call{weak_from_this(), pending};
  uint64_t id = 0;
  const saltus_status_t status = saltus_client_call_with(
    handle_, size, support.write, request, &ClientCalls::on_response, context, &ClientCalls::drop, &id);
  if (status == SALTUS_NO_SERVER) {
    return ClientCalls::fail_soon(*this, pending, detail::last_error());
  }
  detail::check(status, "failed to send request");
  pending->number = static_cast<int64_t>(id);
  return pending->number;
}

std::shared_ptr<void> ClientBase::create_response()
{
  const auto & support = detail::support_of(detail::support_of(type_support_).response);
  return std::shared_ptr<void>(support.create(), support.destroy);
}

bool ClientBase::has_response() const
{
  std::lock_guard<std::mutex> lock(state_->mutex);
  return !state_->waiting.empty();
}

bool ClientBase::take_type_erased_response(void * response_out, rmw_request_id_t & request_header_out)
{
  Response response;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->waiting.empty()) {
      return false;
    }
    response = std::move(state_->waiting.front());
    state_->waiting.pop_front();
  }
  request_header_out = rmw_request_id_t{};
  request_header_out.sequence_number = response.call->known_number();
  const bool is_read = read_response(*response.message, response_out);
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->taken[request_header_out.sequence_number] = std::move(response);
  return is_read;
}

void ClientBase::handle_response(std::shared_ptr<rmw_request_id_t> request_header, std::shared_ptr<void>)
{
  Response response;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    const auto found = state_->taken.find(request_header->sequence_number);
    if (found == state_->taken.end()) {
      return;
    }
    response = std::move(found->second);
    state_->taken.erase(found);
  }
  // It reads the bytes again, because only the call knows the type.
  response.call->outcome(response.message.get(), nullptr);
}

std::shared_ptr<rcl_client_s> ClientBase::get_client_handle()
{
  return std::shared_ptr<rcl_client_s>(shared_from_this(), &state_->handle);
}

std::shared_ptr<const rcl_client_s> ClientBase::get_client_handle() const
{
  return std::shared_ptr<const rcl_client_s>(shared_from_this(), &state_->handle);
}

bool ClientBase::forget(int64_t number)
{
  if (number < 0) {
    std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->unsent.erase(number) > 0;
  }
  return saltus_client_forget(handle_, static_cast<uint64_t>(number));
}

bool ClientBase::read_response(const saltus_message_t & received, void * response) const
{
  const auto & support = detail::support_of(detail::support_of(type_support_).response);
  const char * fault = support.read(response, saltus_message_data(&received), saltus_message_size(&received));
  if (fault != nullptr) {
    RCLCPP_ERROR(get_logger("rclcpp"), "service '%s': a response can't be read: %s", get_service_name(), fault);
  }
  return fault == nullptr;
}

}  // namespace rclcpp
