#include "rclcpp/client.hpp"

#include <vector>

#include "libsaltus.hpp"
#include "libsaltus_qos.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp
{
namespace
{

using Outcome = std::function<void (const saltus_message_t *, const char *)>;

saltus_next_t on_response(void * context, saltus_status_t status, saltus_message_t * response)
{
  return detail::guarded([&] {
             const std::string reason = status == SALTUS_OK ? std::string() : detail::last_error();
             (*static_cast<Outcome *>(context))(response, status == SALTUS_OK ? nullptr : reason.c_str());
           });
}

void drop(void * context) {delete static_cast<Outcome *>(context);}

/// Returns the bytes of a message.
std::vector<uint8_t> bytes_of(const saltus::MessageSupport & support, const void * message)
{
  const char * too_long = nullptr;
  std::vector<uint8_t> bytes(support.size(message, &too_long));
  if (too_long != nullptr) {
    throw exceptions::RCLError(
            RCL_RET_ERROR, "the text of the field '" + std::string(too_long) + "' exceeds its bound",
            "failed to send request");
  }
  support.write(message, bytes.data());
  return bytes;
}

}  // namespace

ClientBase::ClientBase(
  node_interfaces::NodeBaseInterface * node_base, const rosidl_service_type_support_t & type_support,
  const std::string & service_name, const QoS & qos, const CallbackGroup::SharedPtr & group)
: node_(node_base->get_shared_saltus_node()), context_(node_base->get_context()), type_support_(&type_support), qos_(qos)
{
  if (group && !node_base->callback_group_in_node(group)) {
    throw std::runtime_error("Cannot create client, group not in node.");
  }
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
}

ClientBase::~ClientBase() {ClientBase::close();}

void ClientBase::close()
{
  saltus_client_destroy(handle_);
  handle_ = nullptr;
}

const char * ClientBase::get_service_name() const {return saltus_client_name(handle_);}

bool ClientBase::service_is_ready() const {return saltus_client_is_ready(handle_);}

bool ClientBase::wait_for_service_nanoseconds(std::chrono::nanoseconds timeout)
{
  return saltus_client_wait(handle_, timeout.count()) == SALTUS_OK;
}

int64_t ClientBase::call(const void * request, Outcome outcome)
{
  const auto bytes = bytes_of(detail::support_of(detail::support_of(type_support_).request), request);
  uint64_t number = 0;
  detail::check(
    saltus_client_call(
      handle_, bytes.data(), bytes.size(), &on_response, new Outcome(std::move(outcome)), &drop, &number),
    "failed to send request");
  return static_cast<int64_t>(number);
}

bool ClientBase::forget(int64_t number) {return saltus_client_forget(handle_, static_cast<uint64_t>(number));}

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
