// Calls callbacks with sets of messages, one of each input.
#ifndef MESSAGE_FILTERS_SYNCHRONIZER_HPP_
#define MESSAGE_FILTERS_SYNCHRONIZER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "message_filters/connection.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/null_types.hpp"
#include "message_filters/signal9.hpp"

namespace message_filters
{

/// Calls callbacks with sets of messages, one of each input. The policy decides which messages are a set.
///
/// It derives from the policy, whose settings are therefore its own. A callback takes one parameter for each message,
/// in any form of ParameterAdapter. One thread at a time calls the callbacks. They may use the synchronizer and destroy
/// it.
template<class Policy>
class Synchronizer : public noncopyable, public Policy
{
  template<std::size_t I>
  using Event = std::tuple_element_t<I, typename Policy::Events>;

public:
  typedef typename Policy::Messages Messages;
  typedef typename Policy::Events Events;
  typedef typename Policy::Signal Signal;

  static constexpr std::uint8_t MAX_MESSAGES = impl::max_messages;

  /// Connects the inputs with a policy that has the default settings.
  template<
    class F0, class F1, class ... Fs, typename = std::enable_if_t<!std::is_convertible_v<F0 &, const Policy &>>>
  Synchronizer(F0 & f0, F1 & f1, Fs & ... fs)
  {
    init();
    connectInput(f0, f1, fs ...);
  }

  /// Connects no inputs.
  Synchronizer()
  {
    init();
  }

  /// Connects the inputs.
  template<class F0, class ... Fs>
  Synchronizer(const Policy & policy, F0 & f0, Fs & ... fs)
  : Policy(policy)
  {
    init();
    connectInput(f0, fs ...);
  }

  /// Connects no inputs.
  Synchronizer(const Policy & policy)  // NOLINT(runtime/explicit)
  : Policy(policy)
  {
    init();
  }

  /// Disconnects the inputs, and waits until no callback runs on another thread.
  ~Synchronizer()
  {
    disconnectAll();
  }

  /// Makes this the synchronizer of the policy. The constructors have done it.
  void init()
  {
    Policy::initParent(this);
  }

  /// Disconnects the inputs, and connects these filters in their place.
  template<class ... Fs>
  void connectInput(Fs & ... fs)
  {
    static_assert(
      sizeof...(Fs) <= std::tuple_size_v<Messages>, "There are more filters than the policy has messages.");
    disconnectAll();
    connectEach(std::index_sequence_for<Fs...>{}, fs ...);
  }

  /// Registers a callback.
  template<class C>
  Connection registerCallback(const C & callback)
  {
    return signal_.addCallback(callback);
  }

  /// Registers a member function of an object as a callback.
  template<class C, typename T>
  Connection registerCallback(const C & callback, T * object)
  {
    return signal_.addCallback(callback, object);
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

  /// Calls the callbacks. Policies call it with the event of each message.
  template<class ... Es>
  void signal(const Es & ... events)
  {
    signal_.call(events ...);
  }

  /// Returns the policy.
  Policy * getPolicy()
  {
    return this;
  }

  using Policy::add;

  /// Adds a message of the input `i` that comes now.
  template<int i>
  void add(const std::shared_ptr<std::tuple_element_t<i, typename Policy::Messages> const> & message)
  {
    this->template add<i>(Event<i>(message));
  }

private:
  template<std::size_t ... Is, class ... Fs>
  void connectEach(std::index_sequence<Is...>, Fs & ... fs)
  {
    ((connections_[Is] = connect<Is>(fs)), ...);
  }

  template<std::size_t I, class F>
  Connection connect(F & filter)
  {
    return filter.registerCallback(
      std::function<void (const Event<I> &)>([this](const Event<I> & event) {this->template add<I>(event);}));
  }

  void disconnectAll()
  {
    for (Connection & connection : connections_) {
      connection.disconnect();
    }
  }

  Signal signal_;
  std::array<Connection, std::tuple_size_v<Messages>> connections_;
  std::string name_;
};

/// The types that a policy has. Policies derive from it.
template<typename ... Ms>
struct PolicyBase
{
  /// The number of messages, with those of NullType.
  static constexpr std::size_t N_MESSAGES = sizeof...(Ms);
  /// The number of messages.
  typedef std::integral_constant<int, static_cast<int>(impl::real_count<Ms...>)> RealTypeCount;
  typedef std::tuple<Ms...> Messages;
  typedef std::tuple<MessageEvent<Ms const>...> Events;
  typedef Signal9<Ms...> Signal;

  typedef impl::PaddedElement<0, Ms...> M0;
  typedef impl::PaddedElement<1, Ms...> M1;
  typedef impl::PaddedElement<2, Ms...> M2;
  typedef impl::PaddedElement<3, Ms...> M3;
  typedef impl::PaddedElement<4, Ms...> M4;
  typedef impl::PaddedElement<5, Ms...> M5;
  typedef impl::PaddedElement<6, Ms...> M6;
  typedef impl::PaddedElement<7, Ms...> M7;
  typedef impl::PaddedElement<8, Ms...> M8;

  typedef MessageEvent<M0 const> M0Event;
  typedef MessageEvent<M1 const> M1Event;
  typedef MessageEvent<M2 const> M2Event;
  typedef MessageEvent<M3 const> M3Event;
  typedef MessageEvent<M4 const> M4Event;
  typedef MessageEvent<M5 const> M5Event;
  typedef MessageEvent<M6 const> M6Event;
  typedef MessageEvent<M7 const> M7Event;
  typedef MessageEvent<M8 const> M8Event;
};

}  // namespace message_filters

#endif
