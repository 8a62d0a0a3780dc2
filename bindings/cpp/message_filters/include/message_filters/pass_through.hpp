// A filter that passes all messages on.
#ifndef MESSAGE_FILTERS_PASS_THROUGH_HPP_
#define MESSAGE_FILTERS_PASS_THROUGH_HPP_

#include <memory>

#include "message_filters/impl/input.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/simple_filter.hpp"

namespace message_filters
{

/// Passes all messages on at once.
template<typename M>
class PassThrough : public SimpleFilter<M>
{
public:
  typedef std::shared_ptr<M const> MConstPtr;
  typedef MessageEvent<M const> EventType;

  PassThrough() = default;

  /// Connects the input to another filter.
  template<typename F>
  PassThrough(F & filter)  // NOLINT(runtime/explicit)
  {
    connectInput(filter);
  }

  /// Connects the input to another filter, in place of the one before.
  template<class F>
  void connectInput(F & filter)
  {
    input_.connect(filter, [this](const EventType & event) {add(event);});
  }

  /// Passes a message on.
  void add(const MConstPtr & message)
  {
    add(EventType(message));
  }

  /// Passes an event on.
  void add(const EventType & event)
  {
    this->signalMessage(event);
  }

private:
  impl::Input<M> input_;
};

}  // namespace message_filters

#endif
