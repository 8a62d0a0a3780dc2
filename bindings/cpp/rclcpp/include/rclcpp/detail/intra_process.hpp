#ifndef RCLCPP__DETAIL__INTRA_PROCESS_HPP_
#define RCLCPP__DETAIL__INTRA_PROCESS_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <typeindex>
#include <utility>
#include <vector>

#include "rclcpp/message_info.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"

struct saltus_guard_t;

namespace rclcpp::detail
{

/// A message that a publisher gives to a subscription of its process. The subscription owns it, or shares it with others.
class IntraProcessMessage
{
public:
  template<typename M>
  static IntraProcessMessage owned(std::unique_ptr<M> message, const MessageInfo & info)
  {
    IntraProcessMessage result(typeid(M), info);
    result.owned_ = {message.release(), [](void * pointer) {delete static_cast<M *>(pointer);}};
    return result;
  }
  template<typename M>
  static IntraProcessMessage shared(std::shared_ptr<const M> message, const MessageInfo & info)
  {
    IntraProcessMessage result(typeid(M), info);
    result.shared_ = std::move(message);
    return result;
  }

  template<typename M>
  bool is() const {return type_ == typeid(M);}
  // In the following functions, `M` must be the type of the message.
  template<typename M>
  const M & read() const {return *static_cast<const M *>(owned_ ? owned_.get() : shared_.get());}
  /// Returns the message as the only one who has it. A message that others share is copied.
  template<typename M>
  std::unique_ptr<M> take_owned()
  {
    return owned_ ? std::unique_ptr<M>(static_cast<M *>(owned_.release())) : std::make_unique<M>(read<M>());
  }
  template<typename M>
  std::shared_ptr<const M> take_shared()
  {
    return owned_ ? std::shared_ptr<const M>(take_owned<M>()) : std::static_pointer_cast<const M>(std::move(shared_));
  }
  const MessageInfo & info() const {return info_;}

private:
  IntraProcessMessage(std::type_index type, const MessageInfo & info)
  : type_(type), info_(info) {}

  std::type_index type_;
  std::unique_ptr<void, void (*)(void *)> owned_{nullptr, [](void *) {}};
  std::shared_ptr<const void> shared_;
  MessageInfo info_;
};

/// What a subscription takes from the publishers of its process.
struct IntraProcessWants
{
  /// The type of the messages. Those of another type are of the ROS type.
  std::type_index type;
  /// Whether its callback gets a message that nobody else has.
  bool owns;
};

/// The messages that the publishers of a process have given to a subscription, and that it has not taken.
class RCLCPP_PUBLIC IntraProcessQueue
{
public:
  IntraProcessQueue(const IntraProcessWants & wants, const QoS & qos)
  : wants_(wants), qos_(qos) {}

  const IntraProcessWants & wants() const {return wants_;}
  const QoS & qos() const {return qos_;}

  /// Opens the queue: `guard` is triggered for each message.
  void open(saltus_guard_t * guard);
  /// Closes the queue, and drops its messages.
  void close();
  /// Adds a message. Drops the oldest one if there are too many.
  void push(IntraProcessMessage message);
  /// Takes the oldest message. Triggers the guard again if there are more.
  std::optional<IntraProcessMessage> pop();
  bool is_empty() const;
  /// Returns how many more messages there is room for.
  size_t capacity() const;
  /// Returns how many messages were dropped since the last call.
  size_t take_lost() {return lost_.exchange(0);}

private:
  size_t depth() const;

  const IntraProcessWants wants_;
  const QoS qos_;
  mutable std::mutex mutex_;
  std::deque<IntraProcessMessage> messages_;
  saltus_guard_t * guard_ = nullptr;
  std::atomic_size_t lost_{0};
};

/// The subscriptions of a process that get a message.
struct IntraProcessReceivers
{
  /// They share the message.
  std::vector<std::shared_ptr<IntraProcessQueue>> sharing;
  /// Each of them gets a message of its own.
  std::vector<std::shared_ptr<IntraProcessQueue>> owning;

  bool empty() const {return sharing.empty() && owning.empty();}

  /// Gives a message to all of them. At most one of those that want to own it gets this one; the others get copies.
  template<typename M>
  void give(std::unique_ptr<M> message, const MessageInfo & info) const
  {
    if (owning.empty()) {
      share(std::shared_ptr<const M>(std::move(message)), info);
      return;
    }
    if (!sharing.empty()) {
      share(std::make_shared<const M>(*message), info);
    }
    for (size_t i = 0; i + 1 < owning.size(); ++i) {
      owning[i]->push(IntraProcessMessage::owned(std::make_unique<M>(*message), info));
    }
    owning.back()->push(IntraProcessMessage::owned(std::move(message), info));
  }

private:
  template<typename M>
  void share(const std::shared_ptr<const M> & message, const MessageInfo & info) const
  {
    for (const auto & queue : sharing) {
      queue->push(IntraProcessMessage::shared(message, info));
    }
  }
};

class IntraProcessTopic;

/// A publisher that gives messages to the subscriptions of its process.
class RCLCPP_PUBLIC IntraProcessSender
{
public:
  IntraProcessSender(std::shared_ptr<IntraProcessTopic> topic, const QoS & qos);
  IntraProcessSender(const IntraProcessSender &) = delete;
  IntraProcessSender & operator=(const IntraProcessSender &) = delete;
  ~IntraProcessSender();

  /// Returns the subscriptions that get a message of the ROS type.
  IntraProcessReceivers receivers(std::type_index ros_type);
  /// Returns the subscriptions that get a message of another type as it is, and those that get it as one of the ROS type.
  std::pair<IntraProcessReceivers, IntraProcessReceivers> receivers_of(std::type_index type, std::type_index ros_type);
  size_t subscription_count();
  /// Returns the room in the fullest queue, or 0 if there is no queue.
  size_t lowest_capacity();

private:
  std::vector<std::shared_ptr<IntraProcessQueue>> queues();

  std::shared_ptr<IntraProcessTopic> topic_;
  const QoS qos_;
  std::mutex mutex_;
  uint64_t version_ = 0;
  std::vector<std::weak_ptr<IntraProcessQueue>> queues_;
};

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__INTRA_PROCESS_HPP_
