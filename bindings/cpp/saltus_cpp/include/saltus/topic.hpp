// Publishers and subscriptions.
#ifndef SALTUS__TOPIC_HPP_
#define SALTUS__TOPIC_HPP_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "rosidl_typesupport_cpp/message_type_support.hpp"
#include "saltus/context.hpp"
#include "saltus/message_support.hpp"
#include "saltus/view.hpp"

namespace saltus
{

/// The quality of service of an endpoint. The default is a reliable, volatile queue of 10 messages.
class QoS
{
public:
  QoS() {saltus_qos_init(&qos_, sizeof qos_);}
  static QoS keep_last(uint32_t depth)
  {
    QoS qos;
    qos.qos_.depth = depth;
    return qos;
  }
  QoS & best_effort()
  {
    qos_.reliability = SALTUS_RELIABILITY_BEST_EFFORT;
    return *this;
  }
  QoS & transient_local()
  {
    qos_.durability = SALTUS_DURABILITY_TRANSIENT_LOCAL;
    return *this;
  }
  QoS & deadline(std::chrono::nanoseconds time)
  {
    qos_.deadline = static_cast<uint64_t>(time.count());
    return *this;
  }

  QoS & lifespan(std::chrono::nanoseconds time)
  {
    qos_.lifespan = static_cast<uint64_t>(time.count());
    return *this;
  }

  const saltus_qos_t & get() const {return qos_;}

private:
  saltus_qos_t qos_;
};

/// What an endpoint has learned.
enum class EventKind : uint8_t
{
  deadline_missed = SALTUS_EVENT_DEADLINE_MISSED,
  liveliness_lost = SALTUS_EVENT_LIVELINESS_LOST,
  liveliness_changed = SALTUS_EVENT_LIVELINESS_CHANGED,
  incompatible_qos = SALTUS_EVENT_INCOMPATIBLE_QOS,
  incompatible_type = SALTUS_EVENT_INCOMPATIBLE_TYPE,
  message_lost = SALTUS_EVENT_MESSAGE_LOST,
  matched = SALTUS_EVENT_MATCHED,
};

/// An event of a publisher or a subscription. Its numbers are described at saltus_event_t.
class Event
{
public:
  explicit Event(const saltus_event_t & event)
  : event_(event) {}

  EventKind kind() const {return static_cast<EventKind>(event_.kind);}
  const saltus_event_t & get() const {return event_;}

private:
  saltus_event_t event_;
};

/// Called with each event. An executor calls it.
using OnEvent = std::function<void (const Event &)>;

namespace detail
{

/// Returns the support of a message, which generated code has.
template<typename MessageT>
const MessageSupport & support()
{
  return *static_cast<const MessageSupport *>(
    rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>()->data);
}

/// Returns a type for libsaltus.
template<typename Support>
saltus_type_t type_of(const Support & support)
{
  saltus_type_t type{sizeof(saltus_type_t), support.name, {}, support.description};
  std::memcpy(type.hash, support.hash.value, sizeof type.hash);
  return type;
}

inline saltus_next_t receive_event(void * context, const saltus_event_t * event) noexcept
{
  (*static_cast<OnEvent *>(context))(Event(*event));
  return SALTUS_CONTINUE;
}

/// Sets the function for events, if there is one.
inline void set_on_event(saltus_endpoint_options_t & options, OnEvent on_event)
{
  if (on_event) {
    options.on_event = &receive_event;
    options.on_event_context = owned(std::move(on_event));
    options.on_event_drop = &drop<OnEvent>;
  }
}

/// Returns the failure of a message that can't be written.
inline Status unwritable(const std::string & fault) {return Status(SALTUS_UNREADABLE, fault);}

/// Publishes a message of a known size.
inline saltus_status_t publish_written(
  saltus_publisher_t * publisher, const MessageSupport & support, const void * message, size_t size)
{
  // A small message is copied from the stack: that takes less time than a loan.
  std::array<uint8_t, 1024> small;
  if (size <= small.size()) {
    support.write(message, small.data());
    return saltus_publish(publisher, small.data(), size);
  }
  saltus_loan_t * loan = nullptr;
  const saltus_status_t status = saltus_publisher_loan(publisher, size, &loan);
  if (status != SALTUS_OK) {
    return status;
  }
  support.write(message, saltus_loan_data(loan));
  return saltus_loan_publish(loan, size);
}

}  // namespace detail

/// Shared memory of a publisher, in which a message is written: write() returns the first function of the builder.
///
/// A builder refers to its loan: a loan must not be moved while a message is written.
template<typename MessageT>
class Loan
{
public:
  explicit Loan(saltus_loan_t * loan)
  : loan_(loan), writer_({saltus_loan_data(loan), saltus_loan_size(loan)}, &grow, loan) {}

  /// Begins to write the message. Each function of the builder writes one field, and returns what writes the next one.
  Builder<MessageT> write() {return Builder<MessageT>(writer_);}
  /// Publishes the message. Fails if its last field was not written, or if it does not fit its type.
  Status publish() &&
  {
    if (writer_.fault() != nullptr) {
      return detail::unwritable(writer_.fault());
    }
    if (!writer_.is_complete()) {
      return detail::unwritable("a loan is published before its last field was written");
    }
    return Status(saltus_loan_publish(loan_.release(), writer_.size()));
  }

private:
  static in_place::Writer::Memory grow(void * context, size_t used, size_t size)
  {
    auto * loan = static_cast<saltus_loan_t *>(context);
    if (saltus_loan_grow(loan, used, size) != SALTUS_OK) {
      return {nullptr, 0};
    }
    return {saltus_loan_data(loan), saltus_loan_size(loan)};
  }

  detail::Handle<saltus_loan_t, &saltus_loan_destroy> loan_;
  in_place::Writer writer_;
};

/// A publisher. May be used on any thread.
template<typename MessageT>
class Publisher
{
public:
  static Result<Publisher> create(
    const Node & node, const std::string & topic, const QoS & qos = QoS(), OnEvent on_event = nullptr)
  {
    const saltus_type_t type = detail::type_of(detail::support<MessageT>());
    saltus_endpoint_options_t options;
    saltus_endpoint_options_init(&options, sizeof options);
    options.topic = topic.c_str();
    options.type = &type;
    options.qos = &qos.get();
    detail::set_on_event(options, std::move(on_event));
    auto handle = detail::created<Handle>(
      [&](saltus_publisher_t ** place) {return saltus_publisher_create(node.get(), &options, place);});
    return handle ? Result<Publisher>(Publisher(std::move(*handle))) : Result<Publisher>(handle.failure());
  }

  /// Publishes a message. It is written into shared memory once, or copied there if it is small.
  Status publish(const MessageT & message) const
  {
    const MessageSupport & support = detail::support<MessageT>();
    const char * too_long = nullptr;
    const size_t size = support.size(&message, &too_long);
    if (too_long != nullptr) {
      return detail::unwritable("the text of the field '" + std::string(too_long) + "' exceeds its bound");
    }
    return Status(detail::publish_written(handle_.get(), support, &message, size));
  }
  /// Returns shared memory for a message, which grows if `size` bytes do not suffice.
  Result<Loan<MessageT>> loan(size_t size = 256) const
  {
    saltus_loan_t * loan = nullptr;
    const Status status(saltus_publisher_loan(handle_.get(), size, &loan));
    return status ? Result<Loan<MessageT>>(Loan<MessageT>(loan)) : Result<Loan<MessageT>>(status);
  }

  size_t subscription_count() const {return saltus_publisher_subscription_count(handle_.get());}
  /// Waits until so many subscriptions are connected. Fails after the timeout. A negative timeout is none.
  Status wait(size_t count, std::chrono::nanoseconds timeout) const
  {
    return Status(saltus_publisher_wait(handle_.get(), count, timeout.count()));
  }
  saltus_publisher_t * get() const {return handle_.get();}

private:
  using Handle = detail::Handle<saltus_publisher_t, &saltus_publisher_destroy>;

  explicit Publisher(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

/// A received message in shared memory. It lasts as long as this object, also after the callback that has got it. A subscription
/// borrows at most as many messages as its borrow limit, and copies further ones.
template<typename MessageT>
class Message
{
public:
  const View<MessageT> & operator*() const {return view_;}
  const View<MessageT> * operator->() const {return &view_;}

private:
  template<typename>
  friend class Subscription;

  Message(saltus_message_t * handle, const View<MessageT> & view)
  : handle_(handle), view_(view) {}

  detail::Handle<saltus_message_t, &saltus_message_destroy> handle_;
  View<MessageT> view_;
};

/// A subscription, whose callback an executor calls. It ends when it is destroyed.
template<typename MessageT>
class Subscription
{
public:
  /// `callback` takes one of these:
  /// - `const saltus::View<MessageT> &`: the message in shared memory, valid until the callback returns;
  /// - `saltus::Message<MessageT>`: the message in shared memory, which the program may keep;
  /// - `MessageT` or `const MessageT &`: a copy.
  template<typename Callback>
  static Result<Subscription> create(
    const Node & node, const std::string & topic, const QoS & qos, Callback && callback, const Group & group = Group(),
    OnEvent on_event = nullptr)
  {
    using Function = std::decay_t<Callback>;
    auto state = std::make_unique<State<Function>>(std::forward<Callback>(callback));
    State<Function> * context = state.get();
    const saltus_type_t type = detail::type_of(detail::support<MessageT>());
    saltus_endpoint_options_t options;
    saltus_endpoint_options_init(&options, sizeof options);
    options.topic = topic.c_str();
    options.type = &type;
    options.qos = &qos.get();
    options.group = group.get();
    detail::set_on_event(options, std::move(on_event));
    auto handle = detail::created<Handle>(
      [&](saltus_subscription_t ** place) {
        return saltus_subscription_create_with_callback(
          node.get(), &options, &receive<Function>, state.release(), &detail::drop<State<Function>>, place);
      });
    if (!handle) {
      return handle.failure();
    }
    context->subscription.store(handle->get(), std::memory_order_release);
    return Subscription(std::move(*handle));
  }

  size_t publisher_count() const {return saltus_subscription_publisher_count(handle_.get());}
  saltus_subscription_t * get() const {return handle_.get();}

private:
  using Handle = detail::Handle<saltus_subscription_t, &saltus_subscription_destroy>;

  template<typename Function>
  struct State
  {
    Function callback;
    /// The subscription, once it is known: a message may come before.
    std::atomic<saltus_subscription_t *> subscription{nullptr};

    explicit State(Function given)
    : callback(std::move(given)) {}
  };

  template<typename Function>
  static saltus_next_t receive(void * context, saltus_message_t * message) noexcept
  {
    auto & state = *static_cast<State<Function> *>(context);
    if (!call(state.callback, message)) {
      saltus_subscription_count_unreadable(state.subscription.load(std::memory_order_acquire));
    }
    return SALTUS_CONTINUE;
  }

  /// Calls the callback. Returns false if the message can't be read.
  template<typename Function>
  static bool call(Function & callback, saltus_message_t * message)
  {
    const uint8_t * data = saltus_message_data(message);
    const size_t size = saltus_message_size(message);
    if constexpr (std::is_invocable_v<Function &, const View<MessageT> &>) {
      const auto viewed = view<MessageT>(data, size);
      if (viewed) {
        callback(*viewed);
      }
      return static_cast<bool>(viewed);
    } else if constexpr (std::is_invocable_v<Function &, MessageT>) {
      // Without the generated header for views, there is no Message<MessageT>. So it is tried last.
      MessageT value;
      if (detail::support<MessageT>().read(&value, data, size) != nullptr) {
        return false;
      }
      callback(std::move(value));
      return true;
    } else {
      saltus_message_t * kept = nullptr;
      const auto viewed = view<MessageT>(data, size);
      if (!viewed || saltus_message_keep(message, &kept) != SALTUS_OK) {
        return false;
      }
      callback(Message<MessageT>(kept, *viewed));
      return true;
    }
  }

  explicit Subscription(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace saltus

#endif  // SALTUS__TOPIC_HPP_
