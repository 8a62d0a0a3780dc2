#include "message_filters/impl/aligner.hpp"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "message_filters/impl/saturating.hpp"
#include "rcutils/logging_macros.h"

namespace message_filters
{
namespace impl
{

Aligner::Aligner(std::size_t inputs, std::int64_t timeout)
: inputs_(inputs), timeout_(timeout)
{
}

void Aligner::setPeriod(std::size_t input, std::int64_t period)
{
  inputs_.at(input).period = period;
}

bool Aligner::add(std::size_t input, std::int64_t stamp, Event event)
{
  if (stamp < last_out_) {
    if (inputs_[input].dropped++ == 0) {
      RCUTILS_LOG_WARN_NAMED(
        "message_filters",
        "InputAligner: dropped a message of input %zu, because a message that is later by %" PRId64
        " ns was already passed on (logged once)",
        input, subtract(last_out_, stamp));
    }
    return false;
  }
  last_in_ = std::max(last_in_, stamp);
  inputs_[input].messages.add(stamp, std::move(event));
  return true;
}

bool Aligner::hasMessages() const
{
  return std::any_of(inputs_.begin(), inputs_.end(), [](const Input & input) {return !input.messages.empty();});
}

std::optional<Aligner::Next> Aligner::next()
{
  for (;;) {
    Input & input = earliest();
    if (!input.messages.empty()) {
      TimeOrder::Item item = input.messages.popFront();
      last_out_ = item.stamp;
      ++input.processed;
      return Next{static_cast<std::size_t>(&input - inputs_.data()), std::move(item.message)};
    }
    if (!input.is_active || subtract(last_in_, input.expected) < timeout_) {
      return std::nullopt;
    }
    input.is_active = false;
  }
}

Aligner::State Aligner::state(std::size_t input) const
{
  const Input & of = inputs_.at(input);
  return {of.is_active, of.messages.size(), of.processed, of.dropped};
}

// The first input of those whose next message has the earliest stamp.
Aligner::Input & Aligner::earliest()
{
  for (Input & input : inputs_) {
    if (!input.messages.empty()) {
      input.is_active = true;
      input.expected = impl::add(input.messages.front().stamp, input.period);
    }
  }
  return *std::min_element(
    inputs_.begin(), inputs_.end(), [](const Input & a, const Input & b) {return a.nextStamp() < b.nextStamp();});
}

// The stamp of the next message; if it has not come yet, the one that is expected.
std::int64_t Aligner::Input::nextStamp() const
{
  if (!messages.empty()) {
    return messages.front().stamp;
  }
  return is_active ? expected : std::numeric_limits<std::int64_t>::max();
}

}  // namespace impl
}  // namespace message_filters
