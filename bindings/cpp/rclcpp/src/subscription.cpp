#include <cstring>
#include <deque>

#include "events.hpp"
#include "intra_process.hpp"
#include "libsaltus.hpp"
#include "libsaltus_qos.hpp"
#include "rcl/subscription.h"
#include "rclcpp/any_subscription_callback.hpp"
#include "rclcpp/detail/resolve_enable_topic_statistics.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/subscription_base.hpp"
#include "topic_statistics.hpp"

namespace rclcpp
{
namespace
{

saltus_message_info_t info_of(const saltus_message_t & message)
{
  saltus_message_info_t info;
  saltus_message_info_init(&info, sizeof info);
  saltus_message_info(&message, &info);
  return info;
}

}  // namespace

/// What a subscription has besides its handle.
struct SubscriptionBase::State
{
  Context::SharedPtr context;
  std::string topic;
  QoS qos;
  SubscriptionOptionsBase options;
  detail::SubscriptionEventHandlers handlers;
  saltus_gid_t gid{};
  bool has_reported = false;
  mutable std::mutex mutex;
  /// The messages that a wait set has received, and nobody has taken.
  std::deque<std::shared_ptr<saltus_message_t>> kept;
  rcl_subscription_t handle{};
  /// What is measured, if the program wants it.
  std::unique_ptr<detail::TopicStatistics> statistics;
  bool exchanges_pointers = false;
  /// The messages of publishers of the process, and the topic that they come from, if it takes pointers.
  std::shared_ptr<detail::IntraProcessQueue> intra_process;
  std::shared_ptr<detail::IntraProcessTopic> intra_process_topic;

  State(const std::string & topic_, const QoS & qos_, const SubscriptionOptionsBase & options_)
  : topic(topic_), qos(qos_), options(options_) {}

  /// Returns the oldest message that was kept, or nothing.
  std::shared_ptr<saltus_message_t> pop()
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (kept.empty()) {
      return nullptr;
    }
    auto message = std::move(kept.front());
    kept.pop_front();
    return message;
  }

  /// Keeps a message. As in a queue, the oldest one goes if there are too many.
  void push(std::shared_ptr<saltus_message_t> message)
  {
    std::lock_guard<std::mutex> lock(mutex);
    kept.push_back(std::move(message));
    if (qos.history() != HistoryPolicy::KeepAll && kept.size() > std::max<size_t>(qos.depth(), 1)) {
      kept.pop_front();
    }
  }
};

/// The functions that libsaltus calls.
struct SubscriptionCalls
{
  using Weak = std::weak_ptr<SubscriptionBase>;

  static saltus_next_t on_message(void * context, saltus_message_t * message)
  {
    // The subscription stays until its callback returns, even if the callback drops it.
    const auto subscription = static_cast<Weak *>(context)->lock();
    if (!subscription) {
      return SALTUS_CONTINUE;
    }
    if (subscription->waited_.keeps()) {
      return detail::guarded([&] {keep(*subscription, *message);});
    }
    return detail::guarded([&] {
               while (const auto before = subscription->state_->pop()) {
                 receive(*subscription, *before);
               }
               receive(*subscription, *message);
             });
  }

  static saltus_next_t on_event(void * context, const saltus_event_t * event)
  {
    const auto subscription = static_cast<Weak *>(context)->lock();
    return subscription ? detail::guarded([&] {
               subscription->state_->handlers.receive(*event);
             }) : SALTUS_CONTINUE;
  }

  /// Called when a publisher of the process has given a message.
  static saltus_next_t on_intra_process(void * context)
  {
    const auto subscription = static_cast<Weak *>(context)->lock();
    return subscription ? detail::guarded([&] {receive_intra_process(*subscription);}) : SALTUS_CONTINUE;
  }

  static void drop(void * context) {delete static_cast<Weak *>(context);}

  static void receive_intra_process(SubscriptionBase & subscription)
  {
    const auto queue = subscription.state_->intra_process;
    if (const size_t lost = queue ? queue->take_lost() : 0) {
      saltus_subscription_count_overflow(subscription.handle_, lost);
    }
    if (subscription.waited_.keeps()) {
      subscription.waited_.notify();
      return;
    }
    auto message = queue ? queue->pop() : std::nullopt;
    if (!message) {
      return;
    }
    if (subscription.state_->statistics) {
      subscription.state_->statistics->note(message->info().get_rmw_message_info().source_timestamp);
    }
    subscription.deliver_intra_process(*message);
  }

  static void open_intra_process(
    SubscriptionBase & subscription, const detail::IntraProcessWants & wants, Context & context)
  {
    SubscriptionBase::State & state = *subscription.state_;
    state.intra_process_topic = context.get_sub_context<detail::IntraProcessTopics>()->topic(
      subscription.get_topic_name(), detail::support_of(subscription.type_support_));
    state.intra_process = std::make_shared<detail::IntraProcessQueue>(wants, subscription.get_actual_qos());
    state.intra_process->open(
      detail::created<saltus_guard_t>(
        "could not create subscription", [&](saltus_guard_t ** place) {
          return saltus_guard_create_reentrant(
            subscription.node_.get(), subscription.waited_.group()->get_saltus_group(), &on_intra_process,
            new Weak(subscription.weak_from_this()), &drop, place);
        }, state.topic));
    state.intra_process_topic->add_queue(state.intra_process);
  }

  static void receive(SubscriptionBase & subscription, const saltus_message_t & message)
  {
    SubscriptionBase::State & state = *subscription.state_;
    if (state.options.ignore_local_publications && is_local(state, message)) {
      return;
    }
    if (state.statistics) {
      state.statistics->note(info_of(message).source_time);
    }
    if (!subscription.deliver(message)) {
      report(subscription);
    }
  }

  static void keep(SubscriptionBase & subscription, saltus_message_t & message)
  {
    SubscriptionBase::State & state = *subscription.state_;
    if (state.options.ignore_local_publications && is_local(state, message)) {
      return;
    }
    auto * kept = detail::created<saltus_message_t>(
      "failed to keep a message", [&](saltus_message_t ** place) {return saltus_message_keep(&message, place);});
    state.push(detail::shared(kept, &saltus_message_destroy));
    subscription.waited_.notify();
  }

  /// Whether a message comes from this process: the first 8 bytes of a gid are those of its context.
  static bool is_local(const SubscriptionBase::State & state, const saltus_message_t & message)
  {
    return std::memcmp(info_of(message).publisher.bytes, state.gid.bytes, 8) == 0;
  }

  /// Counts a message that can't be read, and logs the first one.
  static void report(SubscriptionBase & subscription)
  {
    saltus_subscription_count_unreadable(subscription.handle_);
    if (!subscription.state_->has_reported) {
      subscription.state_->has_reported = true;
      RCLCPP_ERROR(get_logger("rclcpp"), "on topic '%s': a message can't be read", subscription.get_topic_name());
    }
  }
};

SubscriptionBase::SubscriptionBase(
  node_interfaces::NodeBaseInterface * node_base, const rosidl_message_type_support_t & type_support_handle,
  const std::string & topic_name, const QoS & qos, const SubscriptionOptionsBase & options, bool is_serialized)
: node_(node_base->get_shared_saltus_node()), type_support_(&type_support_handle),
  state_(new State(topic_name, qos, options)),
  waited_(options.callback_group ? options.callback_group : node_base->get_default_callback_group()),
  is_serialized_(is_serialized)
{
  if (options.callback_group && !node_base->callback_group_in_node(options.callback_group)) {
    throw std::runtime_error("Cannot create subscription, callback group not in node.");
  }
  if (!options.content_filter_options.filter_expression.empty()) {
    throw exceptions::RCLError(
            RCL_RET_UNSUPPORTED, "Saltus has no content filters: compare the fields in the callback",
            "could not create subscription");
  }
  state_->handlers = detail::event_handlers(options.event_callbacks, node_base->get_context(), waited_.group());
  state_->context = node_base->get_context();
  // These callbacks are told of connections.
  const bool has_callback = options.event_callbacks.matched_callback || options.event_callbacks.liveliness_callback;
  state_->exchanges_pointers = !has_callback && !options.ignore_local_publications &&
    detail::exchanges_pointers(options.use_intra_process_comm, *node_base, qos);
  if (detail::resolve_enable_topic_statistics(options, *node_base)) {
    state_->statistics =
      std::make_unique<detail::TopicStatistics>(*node_base, options.topic_stats_options, options.callback_group);
  }
}

SubscriptionBase::~SubscriptionBase() {close();}

void SubscriptionBase::open()
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
    options.on_event = &SubscriptionCalls::on_event;
    options.on_event_context = new SubscriptionCalls::Weak(weak_from_this());
    options.on_event_drop = &SubscriptionCalls::drop;
  }
  const auto wants = state_->exchanges_pointers ? intra_process_wants() : std::nullopt;
  options.skips_own = wants.has_value();
  handle_ = detail::created<saltus_subscription_t>(
    "could not create subscription", [&](saltus_subscription_t ** place) {
      return saltus_subscription_create_with_callback(
        node_.get(), &options, &SubscriptionCalls::on_message, new SubscriptionCalls::Weak(weak_from_this()),
        &SubscriptionCalls::drop, place);
    }, state_->topic);
  saltus_subscription_gid(handle_, &state_->gid);
  if (wants) {
    SubscriptionCalls::open_intra_process(*this, *wants, *state_->context);
  }
  state_->handle.impl = reinterpret_cast<rcl_subscription_impl_t *>(handle_);
}

void SubscriptionBase::close()
{
  if (state_->intra_process) {
    state_->intra_process_topic->remove_queue(state_->intra_process.get());
    state_->intra_process->close();
  }
  saltus_subscription_destroy(handle_);
  handle_ = nullptr;
}

const char * SubscriptionBase::get_topic_name() const {return saltus_subscription_topic(handle_);}

const std::unordered_map<rcl_subscription_event_type_t, std::shared_ptr<EventHandlerBase>> &
SubscriptionBase::get_event_handlers() const
{
  return state_->handlers.by_kind;
}

size_t SubscriptionBase::get_publisher_count() const
{
  const auto & topic = state_->intra_process_topic;
  return saltus_subscription_publisher_count(handle_) + (topic ? topic->publisher_count(state_->intra_process->qos()) : 0);
}

void SubscriptionBase::deliver_intra_process(detail::IntraProcessMessage &) {}

void SubscriptionBase::copy_intra_process(const detail::IntraProcessMessage &, void *) const {}

QoS SubscriptionBase::get_actual_qos() const
{
  saltus_qos_t qos;
  saltus_qos_init(&qos, sizeof qos);
  detail::check(saltus_subscription_qos(handle_, &qos), "could not get the QoS");
  return detail::qos_of(qos);
}

void SubscriptionBase::set_content_filter(const std::string &, const std::vector<std::string> &)
{
  throw exceptions::RCLError(RCL_RET_UNSUPPORTED, "Saltus has no content filters", "failed to set a content filter");
}

ContentFilterOptions SubscriptionBase::get_content_filter() const
{
  throw exceptions::RCLError(RCL_RET_UNSUPPORTED, "Saltus has no content filters", "failed to get the content filter");
}

std::shared_ptr<saltus_message_t> SubscriptionBase::take()
{
  if (auto kept = state_->pop()) {
    return kept;
  }
  saltus_message_t * message = nullptr;
  saltus_status_t status = SALTUS_OK;
  while ((status = saltus_subscription_take(handle_, &message)) == SALTUS_OK) {
    auto taken = detail::shared(message, &saltus_message_destroy);
    if (!state_->options.ignore_local_publications || !SubscriptionCalls::is_local(*state_, *taken)) {
      return taken;
    }
  }
  if (status != SALTUS_NOTHING) {
    detail::check(status, "could not take a message");
  }
  return nullptr;
}

bool SubscriptionBase::has_message() const
{
  if (state_->intra_process && !state_->intra_process->is_empty()) {
    return true;
  }
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (!state_->kept.empty()) {
      return true;
    }
  }
  return saltus_subscription_has_message(handle_);
}

bool SubscriptionBase::exchange_in_use_by_wait_set_state(void * pointer_to_subscription_part, bool in_use_state)
{
  if (pointer_to_subscription_part == nullptr) {
    throw std::invalid_argument("pointer_to_subscription_part is unexpectedly nullptr");
  }
  if (pointer_to_subscription_part != this) {
    throw std::runtime_error("given pointer_to_subscription_part does not match any part");
  }
  return waited_.exchange(in_use_state);
}

std::shared_ptr<rcl_subscription_s> SubscriptionBase::get_subscription_handle()
{
  return std::shared_ptr<rcl_subscription_s>(shared_from_this(), &state_->handle);
}

std::shared_ptr<const rcl_subscription_s> SubscriptionBase::get_subscription_handle() const
{
  return std::shared_ptr<const rcl_subscription_s>(shared_from_this(), &state_->handle);
}

bool SubscriptionBase::take_type_erased(void * message_out, MessageInfo & message_info_out)
{
  if (const auto given = state_->intra_process ? state_->intra_process->pop() : std::nullopt) {
    copy_intra_process(*given, message_out);
    message_info_out = given->info();
    return true;
  }
  while (const auto message = take()) {
    if (detail::read_message(*type_support_, *message, message_out)) {
      message_info_out = detail::message_info(*message);
      return true;
    }
    SubscriptionCalls::report(*this);
  }
  return false;
}

bool SubscriptionBase::take_serialized(SerializedMessage & message_out, MessageInfo & message_info_out)
{
  if (const auto given = state_->intra_process ? state_->intra_process->pop() : std::nullopt) {
    const auto message = create_message();
    copy_intra_process(*given, message.get());
    message_out = detail::serialized_message(*type_support_, message.get());
    message_info_out = given->info();
    return true;
  }
  const auto message = take();
  if (!message) {
    return false;
  }
  message_out = detail::serialized_message(*message);
  message_info_out = detail::message_info(*message);
  return true;
}

namespace detail
{

bool read_message(
  const rosidl_message_type_support_t & support, const saltus_message_t & received, void * message)
{
  const char * fault =
    support_of(&support).read(message, saltus_message_data(&received), saltus_message_size(&received));
  return fault == nullptr;
}

SerializedMessage serialized_message(const rosidl_message_type_support_t & type, const void * message)
{
  const saltus::MessageSupport & support = support_of(&type);
  const char * too_long = nullptr;
  const size_t size = support.size(message, &too_long);
  if (too_long != nullptr) {
    throw exceptions::RCLError(
            RCL_RET_ERROR, "the text of the field '" + std::string(too_long) + "' exceeds its bound",
            "failed to serialize message");
  }
  SerializedMessage bytes(size);
  support.write(message, bytes.get_rcl_serialized_message().buffer);
  bytes.get_rcl_serialized_message().buffer_length = size;
  return bytes;
}

SerializedMessage serialized_message(const saltus_message_t & received)
{
  const size_t size = saltus_message_size(&received);
  SerializedMessage message(size);
  std::memcpy(message.get_rcl_serialized_message().buffer, saltus_message_data(&received), size);
  message.get_rcl_serialized_message().buffer_length = size;
  return message;
}

MessageInfo message_info(const saltus_message_t & received)
{
  const saltus_message_info_t info = info_of(received);
  MessageInfo result;
  rmw_message_info_t & filled = result.get_rmw_message_info();
  filled.source_timestamp = info.source_time;
  filled.received_timestamp = info.received_time;
  filled.publication_sequence_number = info.sequence;
  filled.reception_sequence_number = info.received_sequence;
  filled.publisher_gid.implementation_identifier = "saltus";
  std::memcpy(filled.publisher_gid.data, info.publisher.bytes, sizeof info.publisher.bytes);
  filled.from_intra_process = false;
  return result;
}

}  // namespace detail
}  // namespace rclcpp
