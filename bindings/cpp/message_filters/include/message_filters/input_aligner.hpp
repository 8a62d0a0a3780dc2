// Messages of several inputs in one order.
#ifndef MESSAGE_FILTERS_INPUT_ALIGNER_HPP_
#define MESSAGE_FILTERS_INPUT_ALIGNER_HPP_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <rclcpp/duration.hpp>
#include <rclcpp/timer.hpp>

#include "message_filters/connection.hpp"
#include "message_filters/impl/aligner.hpp"
#include "message_filters/impl/input.hpp"
#include "message_filters/impl/link.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/message_traits.hpp"
#include "message_filters/signal1.hpp"

namespace message_filters
{

/// Passes the messages of several inputs on in the order of their stamps. Each input has an output.
///
/// It waits for the next message of each input that has had one. With the period of an input, it waits only until that
/// message is due. An input is ignored until its next message if messages of other inputs are later by `timeout`.
/// Messages are passed on by `dispatchMessages`, which a timer may call. One thread at a time calls the callbacks.
template<typename ... Ms>
class InputAligner : public noncopyable
{
public:
  static constexpr std::size_t N_INPUTS = sizeof...(Ms);
  typedef std::tuple<Ms...> Messages;
  typedef std::tuple<MessageEvent<Ms const>...> Events;
  typedef std::tuple<Signal1<Ms>...> Signals;

  /// The state of an input.
  struct QueueStatus
  {
    bool active;
    std::size_t queue_size;
    std::size_t msgs_processed;
    std::size_t msgs_dropped;
  };

  /// Connects the inputs.
  template<class F0, class F1, class ... Fs>
  InputAligner(const rclcpp::Duration & timeout, F0 & f0, F1 & f1, Fs & ... fs)
  : InputAligner(timeout)
  {
    connectInput(f0, f1, fs ...);
  }

  explicit InputAligner(const rclcpp::Duration & timeout)
  : aligner_(N_INPUTS, timeout.nanoseconds()), link_(std::make_shared<Link>(*this)) {}

  virtual ~InputAligner()
  {
    if (timer_) {
      timer_->cancel();
    }
    link_->close();
  }

  /// Connects the inputs to other filters, in place of those before.
  template<class ... Fs>
  void connectInput(Fs & ... fs)
  {
    static_assert(sizeof...(Fs) <= N_INPUTS, "There are more filters than messages.");
    std::apply([](auto & ... inputs) {(inputs.disconnect(), ...);}, inputs_);
    connectEach(std::index_sequence_for<Fs...>{}, fs ...);
  }

  /// Registers a callback for the messages of the input `I`.
  template<std::size_t I, typename C>
  Connection registerCallback(const C & callback)
  {
    return std::get<I>(callbacks_).connect(callback);
  }

  /// Registers a callback for the messages of the input `I`.
  template<std::size_t I, typename P>
  Connection registerCallback(const std::function<void (P)> & callback)
  {
    return std::get<I>(callbacks_).connect(callback);
  }

  /// Registers a member function of an object as a callback for the messages of the input `I`.
  template<std::size_t I, typename C, typename T>
  Connection registerCallback(C callback, T * object)
  {
    return std::get<I>(callbacks_).connect(callback, object);
  }

  /// Sets the name of the filter.
  void setName(const std::string & name)
  {
    name_ = name;
  }

  /// Returns the name of the filter.
  const std::string & getName() const
  {
    return name_;
  }

  /// Adds a message of the input `I`. It is dropped if a message with a later stamp was already passed on.
  template<std::size_t I>
  void add(const std::shared_ptr<std::tuple_element_t<I, Messages> const> & message)
  {
    addEvent<I>(std::tuple_element_t<I, Events>(message));
  }

  /// Sets the shortest time between two messages of the input `I`. The default is 0.
  template<std::size_t I>
  void setInputPeriod(const rclcpp::Duration & period)
  {
    static_assert(I < N_INPUTS, "There is no such input.");
    std::lock_guard<std::mutex> lock(mutex_);
    aligner_.setPeriod(I, period.nanoseconds());
  }

  /// Returns the state of the input `I`.
  template<std::size_t I>
  QueueStatus getQueueStatus() const
  {
    static_assert(I < N_INPUTS, "There is no such input.");
    std::lock_guard<std::mutex> lock(mutex_);
    const impl::Aligner::State state = aligner_.state(I);
    return {state.is_active, state.waiting, state.processed, state.dropped};
  }

  /// Calls `dispatchMessages` every `update_rate`, by a timer of the node.
  template<class NodeType>
  void setupDispatchTimer(std::shared_ptr<NodeType> node, const rclcpp::Duration & update_rate)
  {
    timer_ = node->create_wall_timer(
      std::chrono::nanoseconds(update_rate.nanoseconds()), [link = link_] {dispatch(link);});
  }

  /// Passes all messages on that no earlier message can precede.
  void dispatchMessages()
  {
    dispatch(link_);
  }

private:
  using Link = impl::Link<InputAligner>;

  static void dispatch(std::shared_ptr<Link> link)
  {
    link->repeat(
      [is_first = true](InputAligner & aligner) mutable {
        return aligner.dispatchNext(std::exchange(is_first, false));
      });
  }

  template<std::size_t ... Is, class ... Fs>
  void connectEach(std::index_sequence<Is...>, Fs & ... fs)
  {
    (connect<Is>(fs), ...);
  }

  template<std::size_t I, class F>
  void connect(F & filter)
  {
    using Event = std::tuple_element_t<I, Events>;
    std::get<I>(inputs_).connect(filter, [this](const Event & event) {addEvent<I>(event);});
  }

  template<std::size_t I>
  void addEvent(const std::tuple_element_t<I, Events> & event)
  {
    using Message = std::tuple_element_t<I, Messages>;
    using Event = std::tuple_element_t<I, Events>;
    const auto stamp = message_traits::TimeStamp<Message>::value(*event.getConstMessage()).nanoseconds();
    std::lock_guard<std::mutex> lock(mutex_);
    aligner_.add(I, stamp, std::make_shared<const Event>(event));
  }

  // Passes the next message on. Returns false if there is none.
  bool dispatchNext(bool is_first)
  {
    std::optional<impl::Aligner::Next> next;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      // Inputs only time out when there are messages to pass on.
      if (!is_first || aligner_.hasMessages()) {
        next = aligner_.next();
      }
    }
    if (next) {
      pass(*next, std::index_sequence_for<Ms...>{});
    }
    return next.has_value();
  }

  template<std::size_t ... Is>
  void pass(const impl::Aligner::Next & next, std::index_sequence<Is...>)
  {
    static_cast<void>(((next.input == Is && (passOn<Is>(next.event), true)) || ...));
  }

  template<std::size_t I>
  void passOn(const impl::Event & event)
  {
    std::get<I>(callbacks_).call(*static_cast<const std::tuple_element_t<I, Events> *>(event.get()));
  }

  mutable std::mutex mutex_;
  impl::Aligner aligner_;
  Signals callbacks_;
  std::string name_;
  const std::shared_ptr<Link> link_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::tuple<impl::Input<Ms>...> inputs_;
};

}  // namespace message_filters

#endif
