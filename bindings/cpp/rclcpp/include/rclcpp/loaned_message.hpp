#ifndef RCLCPP__LOANED_MESSAGE_HPP_
#define RCLCPP__LOANED_MESSAGE_HPP_

#include <functional>
#include <memory>
#include <utility>

#include "rclcpp/publisher_base.hpp"

namespace rclcpp
{

/// A message that is filled and then published. It has memory of its own: see PublisherBase::can_loan_messages().
template<typename MessageT, typename AllocatorT = std::allocator<void>>
class LoanedMessage
{
public:
  explicit LoanedMessage(const rclcpp::PublisherBase &, AllocatorT = AllocatorT())
  : message_(std::make_unique<MessageT>()) {}
  LoanedMessage(LoanedMessage && other) = default;

  /// Whether the message was not published yet.
  bool is_valid() const {return message_ != nullptr;}
  /// Returns the message.
  MessageT & get() const {return *message_;}
  /// Gives the message to the caller.
  std::unique_ptr<MessageT, std::function<void(MessageT *)>> release()
  {
    return {message_.release(), [](MessageT * message) {delete message;}};
  }

private:
  std::unique_ptr<MessageT> message_;
};

}  // namespace rclcpp

#endif  // RCLCPP__LOANED_MESSAGE_HPP_
