// A message and the time at which it came.
#ifndef MESSAGE_FILTERS_MESSAGE_EVENT_HPP_
#define MESSAGE_FILTERS_MESSAGE_EVENT_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <rclcpp/time.hpp>

#include "message_filters/impl/support.hpp"

namespace message_filters
{

typedef std::map<std::string, std::string> M_string;
typedef std::shared_ptr<M_string> M_stringPtr;

/// Makes a message with the default values.
template<typename M>
struct DefaultMessageCreator
{
  std::shared_ptr<M> operator()()
  {
    return std::make_shared<M>();
  }
};

/// A message and the time at which it came. `M` is the type of the message, const or not.
///
/// Callbacks share the message. An event of a const type gives it out, one of a type that is not const gives out a
/// copy.
template<typename M>
class MessageEvent
{
public:
  typedef std::add_const_t<M> ConstMessage;
  typedef std::remove_const_t<M> Message;
  typedef std::shared_ptr<Message> MessagePtr;
  typedef std::shared_ptr<ConstMessage> ConstMessagePtr;
  typedef std::function<MessagePtr()> CreateFunction;

  /// An event without a message.
  MessageEvent() = default;

  MessageEvent(const MessageEvent<Message> & other)
  {
    assign(other);
  }
  MessageEvent(const MessageEvent<ConstMessage> & other)
  {
    assign(other);
  }
  MessageEvent(MessageEvent &&) = default;

  /// With `nonconst_need_copy`, events of a type that is not const give out a copy of the message.
  MessageEvent(const MessageEvent<Message> & other, bool nonconst_need_copy)
  : MessageEvent(other)
  {
    nonconst_need_copy_ = nonconst_need_copy;
  }
  MessageEvent(const MessageEvent<ConstMessage> & other, bool nonconst_need_copy)
  : MessageEvent(other)
  {
    nonconst_need_copy_ = nonconst_need_copy;
  }

  /// The message of `other` must be of the type `M`.
  MessageEvent(const MessageEvent<void const> & other, const CreateFunction & create)
  {
    init(
      std::static_pointer_cast<ConstMessage>(other.getMessage()), other.getReceiptTime(), other.nonConstWillCopy(),
      create);
  }

  /// The message has come now, in system time.
  MessageEvent(const ConstMessagePtr & message)  // NOLINT(runtime/explicit)
  : MessageEvent(message, rclcpp::Time(impl::systemNow(), RCL_SYSTEM_TIME))
  {
  }

  MessageEvent(const ConstMessagePtr & message, rclcpp::Time receipt_time)
  {
    init(message, receipt_time, true, DefaultMessageCreator<Message>());
  }

  /// `create` makes the message into which the copy is written.
  MessageEvent(
    const ConstMessagePtr & message, rclcpp::Time receipt_time, bool nonconst_need_copy, const CreateFunction & create)
  {
    init(message, receipt_time, nonconst_need_copy, create);
  }

  /// Sets all parts of the event.
  void init(
    const ConstMessagePtr & message, rclcpp::Time receipt_time, bool nonconst_need_copy, const CreateFunction & create)
  {
    message_ = message;
    receipt_time_ = receipt_time;
    nonconst_need_copy_ = nonconst_need_copy;
    create_ = create;
    copy_.reset();
  }

  MessageEvent & operator=(const MessageEvent<Message> & other)
  {
    assign(other);
    return *this;
  }
  MessageEvent & operator=(const MessageEvent<ConstMessage> & other)
  {
    assign(other);
    return *this;
  }
  MessageEvent & operator=(MessageEvent &&) = default;

  /// Returns the message, or a copy of it if `M` is not const; null if there is no message.
  std::shared_ptr<M> getMessage() const
  {
    if constexpr (std::is_const_v<M>) {
      return message_;
    } else if constexpr (std::is_void_v<M>) {
      return std::const_pointer_cast<Message>(message_);
    } else {
      return nonconst_need_copy_ ? copy() : std::const_pointer_cast<Message>(message_);
    }
  }

  /// Returns the message without a copy.
  const std::shared_ptr<ConstMessage> & getConstMessage() const
  {
    return message_;
  }

  /// Returns the time at which the message came.
  rclcpp::Time getReceiptTime() const
  {
    return receipt_time_;
  }

  /// Whether events of a type that is not const give out a copy.
  bool nonConstWillCopy() const
  {
    return nonconst_need_copy_;
  }

  /// Whether `getMessage` gives out a copy.
  bool getMessageWillCopy() const
  {
    return !std::is_const_v<M> && nonconst_need_copy_;
  }

  bool operator<(const MessageEvent<M> & other) const
  {
    if (message_ != other.message_) {
      return message_ < other.message_;
    }
    if (receiptNanoseconds() != other.receiptNanoseconds()) {
      return receiptNanoseconds() < other.receiptNanoseconds();
    }
    return nonconst_need_copy_ < other.nonconst_need_copy_;
  }

  bool operator==(const MessageEvent<M> & other) const
  {
    return message_ == other.message_ && receiptNanoseconds() == other.receiptNanoseconds() &&
           nonconst_need_copy_ == other.nonconst_need_copy_;
  }

  bool operator!=(const MessageEvent<M> & other) const
  {
    return !(*this == other);
  }

  /// Returns the function that makes the message into which a copy is written.
  const CreateFunction & getMessageFactory() const
  {
    return create_;
  }

private:
  // A copy that a callback has changed is the message of the new event.
  template<typename Other>
  void assign(const MessageEvent<Other> & other)
  {
    init(other.getMessage(), other.getReceiptTime(), other.nonConstWillCopy(), other.getMessageFactory());
  }

  const MessagePtr & copy() const
  {
    if (!copy_ && message_) {
      copy_ = create_();
      *copy_ = *message_;
    }
    return copy_;
  }

  // Compared as numbers: times of different clocks throw.
  std::int64_t receiptNanoseconds() const
  {
    return receipt_time_.nanoseconds();
  }

  ConstMessagePtr message_;
  mutable MessagePtr copy_;
  rclcpp::Time receipt_time_{0, 0, RCL_SYSTEM_TIME};
  bool nonconst_need_copy_ = true;
  CreateFunction create_;
};

}  // namespace message_filters

#endif
