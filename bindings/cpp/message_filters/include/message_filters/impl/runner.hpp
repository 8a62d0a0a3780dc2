// Runs a filter in several threads.
#ifndef MESSAGE_FILTERS_IMPL_RUNNER_HPP_
#define MESSAGE_FILTERS_IMPL_RUNNER_HPP_

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "message_filters/impl/output.hpp"
#include "message_filters/impl/turn.hpp"

namespace message_filters
{
namespace impl
{

/// A filter `Core` that several threads use. One thread at a time adds messages and delivers the sets.
///
/// The other threads wait meanwhile, so that they do not add more than the callbacks can process. If a callback adds
/// messages, their sets are delivered after it has returned. Copies start with the same state.
template<class Core>
class Runner
{
public:
  explicit Runner(Core core)
  : state_(std::make_shared<State>(std::move(core))) {}

  Runner(const Runner & other)
  : Runner(other.with([](const Core & core) {return core;})) {}

  Runner & operator=(const Runner & other)
  {
    Core copy = other.with([](const Core & core) {return core;});
    with([&copy](Core & core) {core = std::move(copy);});
    return *this;
  }

  ~Runner()
  {
    // A delivery that runs ends. The messages are destroyed without the lock.
    Outputs removed;
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->outputs.swap(removed);
  }

  /// Calls `access` with the filter, also while sets are delivered.
  template<class Access>
  auto with(Access && access) const
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    return access(state_->core);
  }

  /// Calls `change` with the filter and the sets that are not delivered yet. Then calls `deliver` with each set.
  template<class Change, class Deliver>
  void take(Change && change, Deliver && deliver)
  {
    // A callback may destroy the filter.
    const std::shared_ptr<State> state = state_;
    std::lock_guard<Turn> turn(state->turn);
    {
      std::lock_guard<std::mutex> lock(state->mutex);
      change(state->core, state->outputs);
    }
    if (state->turn.isNested()) {
      return;
    }
    while (const std::optional<Output> output = state->next()) {
      deliver(*output);
    }
  }

private:
  struct State
  {
    explicit State(Core with_core)
    : core(std::move(with_core)) {}

    std::optional<Output> next()
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (outputs.empty()) {
        return std::nullopt;
      }
      std::optional<Output> output = std::move(outputs.front());
      outputs.pop_front();
      return output;
    }

    std::mutex mutex;
    Core core;
    Outputs outputs;
    Turn turn;
  };

  const std::shared_ptr<State> state_;
};

}  // namespace impl
}  // namespace message_filters

#endif
