// Filters in a row, as one filter.
#ifndef MESSAGE_FILTERS_CHAIN_HPP_
#define MESSAGE_FILTERS_CHAIN_HPP_

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "message_filters/impl/input.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/pass_through.hpp"
#include "message_filters/simple_filter.hpp"

namespace message_filters
{

/// The base of chains, for programs that do not know the type of the messages.
class ChainBase
{
public:
  virtual ~ChainBase() = default;

  /// Returns the filter with an index, or null; `F` must be its type.
  template<typename F>
  std::shared_ptr<F> getFilter(std::size_t index) const
  {
    return std::static_pointer_cast<F>(getFilterForIndex(index));
  }

protected:
  virtual std::shared_ptr<void> getFilterForIndex(std::size_t index) const = 0;
};

typedef std::shared_ptr<ChainBase> ChainBasePtr;

/// Filters in a row, as one filter: each gets the messages of the one before it, and the chain gives out those of the
/// last.
///
/// One thread at a time may add filters and connect the input, also while messages come.
template<typename M>
class Chain : public ChainBase, public SimpleFilter<M>
{
public:
  typedef std::shared_ptr<M const> MConstPtr;
  typedef MessageEvent<M const> EventType;

  Chain() = default;

  /// Connects the input to another filter.
  template<typename F>
  explicit Chain(F & filter)
  {
    connectInput(filter);
  }

  /// Adds a filter that outlives the chain, and returns its index.
  template<class F>
  std::size_t addFilter(F * filter)
  {
    return addFilter(std::shared_ptr<F>(filter, [](void *) {}));
  }

  /// Adds a filter, and returns its index.
  template<class F>
  std::size_t addFilter(const std::shared_ptr<F> & filter)
  {
    const auto stage = std::make_shared<Stage>();
    stage->filter = filter;
    stage->add = [to = filter.get()](const EventType & event) {to->add(event);};
    stage->output.connectInput(*filter);
    output_.connect(stage->output, [this](const EventType & event) {this->signalMessage(event);});
    // Not connected with the lock held: a connection waits for callbacks, which may use the chain.
    if (last_) {
      filter->connectInput(last_->output);
    }
    last_ = stage;
    std::lock_guard<std::mutex> lock(mutex_);
    stages_.push_back(stage);
    return stages_.size() - 1;
  }

  /// Returns the filter with an index, or null; `F` must be its type.
  template<typename F>
  std::shared_ptr<F> getFilter(std::size_t index) const
  {
    return ChainBase::getFilter<F>(index);
  }

  /// Connects the input to another filter, in place of the one before.
  template<class F>
  void connectInput(F & filter)
  {
    input_.connect(filter, [this](const EventType & event) {add(event);});
  }

  /// Passes a message to the first filter.
  void add(const MConstPtr & message)
  {
    add(EventType(message));
  }

  /// Passes an event to the first filter. Without filters, it is dropped.
  void add(const EventType & event)
  {
    if (const std::shared_ptr<Stage> first = stageAt(0)) {
      first->add(event);
    }
  }

protected:
  std::shared_ptr<void> getFilterForIndex(std::size_t index) const override
  {
    const std::shared_ptr<Stage> stage = stageAt(index);
    return stage ? stage->filter : nullptr;
  }

private:
  // A filter, without its type.
  struct Stage
  {
    std::shared_ptr<void> filter;
    std::function<void (const EventType &)> add;
    PassThrough<M> output;
  };

  std::shared_ptr<Stage> stageAt(std::size_t index) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return index < stages_.size() ? stages_[index] : nullptr;
  }

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Stage>> stages_;
  std::shared_ptr<Stage> last_;
  impl::Input<M> output_;
  impl::Input<M> input_;
};

}  // namespace message_filters

#endif
