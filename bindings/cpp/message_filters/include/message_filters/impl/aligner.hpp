// Messages of several inputs in one order, without types.
#ifndef MESSAGE_FILTERS_IMPL_ALIGNER_HPP_
#define MESSAGE_FILTERS_IMPL_ALIGNER_HPP_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "message_filters/impl/time_order.hpp"
#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// Gives out the messages of several inputs in the order of their stamps. All times are in nanoseconds.
///
/// An input is active from its first message on. The filter waits for the next message of each active input, which is
/// expected one period after the last one. If a message of another input is later by `timeout`, the input becomes
/// inactive until its next message.
class MESSAGE_FILTERS_PUBLIC Aligner
{
public:
  struct State
  {
    bool is_active;
    std::size_t waiting;
    std::size_t processed;
    std::size_t dropped;
  };

  struct Next
  {
    std::size_t input;
    Event event;
  };

  Aligner(std::size_t inputs, std::int64_t timeout);

  /// Sets the shortest time between two messages of an input.
  void setPeriod(std::size_t input, std::int64_t period);

  /// Adds a message. Returns false, and drops it, if a message with a later stamp was already given out.
  bool add(std::size_t input, std::int64_t stamp, Event event);

  /// Returns whether a message waits.
  bool hasMessages() const;

  /// Returns the next message, if no earlier one can come.
  std::optional<Next> next();

  /// Returns the state of an input.
  State state(std::size_t input) const;

private:
  struct Input
  {
    TimeOrder messages;
    std::int64_t period = 0;
    std::int64_t expected = std::numeric_limits<std::int64_t>::max();
    bool is_active = false;
    std::size_t processed = 0;
    std::size_t dropped = 0;

    std::int64_t nextStamp() const;
  };

  Input & earliest();

  std::vector<Input> inputs_;
  std::int64_t timeout_;
  // The latest stamp of all messages that came.
  std::int64_t last_in_ = 0;
  // The stamp of the message that was given out last.
  std::int64_t last_out_ = 0;
};

}  // namespace impl
}  // namespace message_filters

#endif
