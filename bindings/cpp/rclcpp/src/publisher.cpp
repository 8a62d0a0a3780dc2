#include <cstring>

#include "events.hpp"
#include "intra_process.hpp"
#include "libsaltus.hpp"
#include "libsaltus_qos.hpp"
#include "rcl/publisher.h"
#include "rclcpp/publisher_base.hpp"
#include "saltus/topic.hpp"

namespace rclcpp
{

/// What a publisher has besides its handle.
struct PublisherBase::State
{
  Context::SharedPtr context;
  std::string topic;
  QoS qos;
  PublisherOptionsBase options;
  detail::PublisherEventHandlers handlers;
  rmw_gid_t gid{};
  rcl_publisher_t handle{};
  bool exchanges_pointers = false;
};

/// The functions that libsaltus calls.
struct PublisherCalls
{
  using Weak = std::weak_ptr<PublisherBase>;

  static saltus_next_t on_event(void * context, const saltus_event_t * event)
  {
    const auto publisher = static_cast<Weak *>(context)->lock();
    return publisher ? detail::guarded([&] {
               publisher->state_->handlers.receive(*event);
             }) : SALTUS_CONTINUE;
  }

  static void drop(void * context) {delete static_cast<Weak *>(context);}
};

PublisherBase::PublisherBase(
  node_interfaces::NodeBaseInterface * node_base, const std::string & topic,
  const rosidl_message_type_support_t & type_support, const QoS & qos, const PublisherOptionsBase & options)
: node_(node_base->get_shared_saltus_node()), type_support_(&type_support),
  state_(new State{node_base->get_context(), topic, qos, options, {}, {}, {}, false})
{
  if (options.callback_group && !node_base->callback_group_in_node(options.callback_group)) {
    throw std::runtime_error("Cannot create publisher, callback group not in node.");
  }
  const auto group = options.callback_group ? options.callback_group : node_base->get_default_callback_group();
  state_->handlers = detail::event_handlers(options.event_callbacks, node_base->get_context(), group);
  // Only connections are told to a callback for matched subscriptions.
  state_->exchanges_pointers = !options.event_callbacks.matched_callback &&
    detail::exchanges_pointers(options.use_intra_process_comm, *node_base, qos);
}

PublisherBase::~PublisherBase() {close();}

void PublisherBase::open()
{
  const saltus_type_t type = detail::type_of(detail::support_of(type_support_));
  const saltus_qos_t qos = detail::to_saltus(state_->qos.get_rmw_qos_profile());
  saltus_endpoint_options_t options;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = state_->topic.c_str();
  options.type = &type;
  options.qos = &qos;
  options.group = state_->options.callback_group ? state_->options.callback_group->get_saltus_group() : nullptr;
  if (!state_->handlers.empty()) {
    options.on_event = &PublisherCalls::on_event;
    options.on_event_context = new PublisherCalls::Weak(weak_from_this());
    options.on_event_drop = &PublisherCalls::drop;
  }
  options.skips_own = state_->exchanges_pointers;
  handle_ = detail::created<saltus_publisher_t>(
    "could not create publisher", [&](saltus_publisher_t ** place) {
      return saltus_publisher_create(node_.get(), &options, place);
    }, state_->topic);
  state_->handle.impl = reinterpret_cast<rcl_publisher_impl_t *>(handle_);
  saltus_gid_t gid{};
  saltus_publisher_gid(handle_, &gid);
  state_->gid.implementation_identifier = "saltus";
  std::memcpy(state_->gid.data, gid.bytes, sizeof gid.bytes);
  if (state_->exchanges_pointers) {
    const auto topics = state_->context->get_sub_context<detail::IntraProcessTopics>();
    auto topic_of_type = topics->topic(get_topic_name(), detail::support_of(type_support_));
    intra_process_sender_ =
      std::make_unique<detail::IntraProcessSender>(std::move(topic_of_type), get_actual_qos());
  }
}

void PublisherBase::close()
{
  intra_process_sender_.reset();
  saltus_publisher_destroy(handle_);
  handle_ = nullptr;
}

const char * PublisherBase::get_topic_name() const {return saltus_publisher_topic(handle_);}

std::shared_ptr<rcl_publisher_s> PublisherBase::get_publisher_handle()
{
  return std::shared_ptr<rcl_publisher_s>(shared_from_this(), &state_->handle);
}

std::shared_ptr<const rcl_publisher_s> PublisherBase::get_publisher_handle() const
{
  return std::shared_ptr<const rcl_publisher_s>(shared_from_this(), &state_->handle);
}

const std::unordered_map<rcl_publisher_event_type_t, std::shared_ptr<EventHandlerBase>> &
PublisherBase::get_event_handlers() const
{
  return state_->handlers.by_kind;
}

size_t PublisherBase::get_queue_size() const {return get_actual_qos().depth();}

const rmw_gid_t & PublisherBase::get_gid() const {return state_->gid;}

QoS PublisherBase::get_actual_qos() const
{
  saltus_qos_t qos;
  saltus_qos_init(&qos, sizeof qos);
  detail::check(saltus_publisher_qos(handle_, &qos), "could not get the QoS");
  return detail::qos_of(qos);
}

size_t PublisherBase::get_subscription_count() const
{
  return saltus_publisher_subscription_count(handle_) + get_intra_process_subscription_count();
}

size_t PublisherBase::get_intra_process_subscription_count() const
{
  return intra_process_sender_ ? intra_process_sender_->subscription_count() : 0;
}

size_t PublisherBase::lowest_available_ipm_capacity() const
{
  return intra_process_sender_ ? intra_process_sender_->lowest_capacity() : 0;
}

bool PublisherBase::is_durability_transient_local() const
{
  return get_actual_qos().durability() == DurabilityPolicy::TransientLocal;
}

bool PublisherBase::assert_liveliness() const {return saltus_publisher_assert_liveliness(handle_) == SALTUS_OK;}

bool PublisherBase::operator==(const rmw_gid_t & gid) const
{
  return std::memcmp(gid.data, state_->gid.data, sizeof gid.data) == 0;
}

bool PublisherBase::operator==(const rmw_gid_t * gid) const {return *this == *gid;}

bool PublisherBase::wait_until_acked(std::chrono::nanoseconds) const
{
  // A message is in the queues of its subscriptions when it was published. There is nothing to wait for.
  return true;
}

void PublisherBase::check(int status) const
{
  // As in ROS 2, a message that is published after the shutdown is left out.
  if (status != SALTUS_OK && state_->context->is_valid()) {
    detail::throw_failure(status, "failed to publish message");
  }
}

void PublisherBase::publish_message(const void * message)
{
  const saltus::MessageSupport & support = detail::support_of(type_support_);
  const char * too_long = nullptr;
  const size_t size = support.size(message, &too_long);
  if (too_long != nullptr) {
    throw exceptions::RCLError(
            RCL_RET_ERROR, "the text of the field '" + std::string(too_long) + "' exceeds its bound",
            "failed to publish message");
  }
  check(saltus::detail::publish_written(handle_, support, message, size));
}

bool PublisherBase::has_subscriptions_elsewhere() const {return saltus_publisher_subscription_count(handle_) > 0;}

void PublisherBase::publish_message_elsewhere(const void * message)
{
  if (has_subscriptions_elsewhere()) {
    publish_message(message);
  }
}

MessageInfo PublisherBase::intra_process_info() const
{
  MessageInfo result;
  rmw_message_info_t & info = result.get_rmw_message_info();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  info.source_timestamp = info.received_timestamp = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  info.publication_sequence_number = info.reception_sequence_number = RMW_MESSAGE_INFO_SEQUENCE_NUMBER_UNSUPPORTED;
  info.publisher_gid = state_->gid;
  info.from_intra_process = true;
  return result;
}

void PublisherBase::read_bytes(const rcl_serialized_message_t & serialized_msg, void * message) const
{
  const char * fault =
    detail::support_of(type_support_).read(message, serialized_msg.buffer, serialized_msg.buffer_length);
  if (fault != nullptr) {
    throw exceptions::RCLError(
            RCL_RET_ERROR, std::string("the bytes are no message of the type: ") + fault, "failed to publish message");
  }
}

void PublisherBase::publish_bytes(const rcl_serialized_message_t & serialized_msg)
{
  check(saltus_publish(handle_, serialized_msg.buffer, serialized_msg.buffer_length));
}

}  // namespace rclcpp
