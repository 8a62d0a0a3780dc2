// Callbacks of programs, in all forms.
#ifndef MESSAGE_FILTERS_IMPL_CALLBACK_HPP_
#define MESSAGE_FILTERS_IMPL_CALLBACK_HPP_

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "message_filters/impl/callback_list.hpp"
#include "message_filters/impl/parameters.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/null_types.hpp"
#include "message_filters/parameter_adapter.hpp"

namespace message_filters
{
namespace impl
{

/// The largest number of messages in a set.
constexpr std::size_t max_messages = 9;

/// Message types, and NullType up to the largest number.
template<class ... Ms>
using PaddedTuple = std::tuple<
  Ms..., NullType, NullType, NullType, NullType, NullType, NullType, NullType, NullType, NullType>;

template<std::size_t I, class ... Ms>
using PaddedElement = std::tuple_element_t<I, PaddedTuple<Ms...>>;

/// The number of types that are not NullType.
template<class ... Ms>
constexpr std::size_t real_count = (std::size_t{0} + ... + (std::is_same_v<Ms, NullType> ? 0 : 1));

/// Whether a parameter `P` takes the message `M` in a form that ParameterAdapter knows.
template<class P, class M>
constexpr bool takes_message = std::is_same_v<typename ParameterAdapter<P>::Message, M> &&
  (!std::is_reference_v<P> || (std::is_lvalue_reference_v<P> && std::is_const_v<std::remove_reference_t<P>>));

/// A message that converts to each form in which a callback may take it.
template<class M>
class AnyForm
{
public:
  explicit AnyForm(const MessageEvent<M const> & event)
  : event_(event) {}

  operator const std::shared_ptr<M const> &() const {return event_.getConstMessage();}
  operator std::shared_ptr<M>() const {return ParameterAdapter<std::shared_ptr<M>>::getParameter(event_);}
  operator const M &() const {return messageOf(event_);}
  operator const MessageEvent<M const> &() const {return event_;}
  operator MessageEvent<M>() const {return MessageEvent<M>(event_);}

private:
  const MessageEvent<M const> & event_;
};

/// Calls callables with the events of the messages `Ms`.
template<class ... Ms>
class Caller
{
public:
  template<class F>
  static void call(F & callable, const void * const * events)
  {
    using Parameters = typename ParametersOf<F>::type;
    using Real = std::make_index_sequence<real_count<Ms...>>;
    using Padded = std::make_index_sequence<max_messages>;
    if constexpr (takesMessages(static_cast<Parameters *>(nullptr))) {
      callAdapted(callable, Parameters{}, events);
    } else if constexpr (takesPointers<F>(Real{})) {
      callWithPointers(callable, Real{}, events);
    } else if constexpr (takesPointers<F>(Padded{})) {
      callWithPointers(callable, Padded{}, events);
    } else if constexpr (takesAnyForm<F>(Real{})) {
      callWithAnyForm(callable, Real{}, events);
    } else {
      static_assert(
        takesAnyForm<F>(Real{}),
        "The callback must take one parameter for each message M of the filter, in one of these forms: "
        "const std::shared_ptr<M const> &, std::shared_ptr<M const>, std::shared_ptr<M>, const M &, M, "
        "const message_filters::MessageEvent<M const> &, const message_filters::MessageEvent<M> &.");
    }
  }

private:
  template<std::size_t I>
  using Message = PaddedElement<I, Ms...>;

  template<std::size_t I>
  static const MessageEvent<Message<I> const> & event(const void * const * events)
  {
    if constexpr (I < sizeof...(Ms)) {
      return *static_cast<const MessageEvent<Message<I> const> *>(events[I]);
    } else {
      static const MessageEvent<NullType const> none;
      return none;
    }
  }

  static constexpr bool takesMessages(const void *)
  {
    return false;
  }

  template<class ... Ps>
  static constexpr bool takesMessages(const Types<Ps...> *)
  {
    constexpr std::size_t count = sizeof...(Ps);
    if constexpr (count >= real_count<Ms...> && count <= max_messages) {
      return takesMessages<Ps...>(std::index_sequence_for<Ps...>{});
    } else {
      return false;
    }
  }

  template<class ... Ps, std::size_t ... Is>
  static constexpr bool takesMessages(std::index_sequence<Is...>)
  {
    return (takes_message<Ps, Message<Is>> && ...);
  }

  template<class F, std::size_t ... Is>
  static constexpr bool takesPointers(std::index_sequence<Is...>)
  {
    return std::is_invocable_v<F &, const std::shared_ptr<Message<Is> const> &...>;
  }

  template<class F, std::size_t ... Is>
  static constexpr bool takesAnyForm(std::index_sequence<Is...>)
  {
    return std::is_invocable_v<F &, AnyForm<Message<Is>>...>;
  }

  template<class F, class ... Ps>
  static void callAdapted(F & callable, Types<Ps...> parameters, const void * const * events)
  {
    callAdapted(callable, parameters, std::index_sequence_for<Ps...>{}, events);
  }

  template<class F, class ... Ps, std::size_t ... Is>
  static void callAdapted(F & callable, Types<Ps...>, std::index_sequence<Is...>, const void * const * events)
  {
    callable(ParameterAdapter<Ps>::getParameter(event<Is>(events))...);
  }

  template<class F, std::size_t ... Is>
  static void callWithPointers(F & callable, std::index_sequence<Is...>, const void * const * events)
  {
    callable(event<Is>(events).getConstMessage()...);
  }

  template<class F, std::size_t ... Is>
  static void callWithAnyForm(F & callable, std::index_sequence<Is...>, const void * const * events)
  {
    callable(AnyForm<Message<Is>>(event<Is>(events))...);
  }
};

/// A callback of a program.
template<class F, class ... Ms>
class Callback final : public CallbackBase
{
public:
  explicit Callback(F callable)
  : callable_(std::move(callable)) {}

  void call(const void * const * events) override
  {
    Caller<Ms...>::call(callable_, events);
  }

private:
  F callable_;
};

/// The callbacks of a filter whose output has the messages `Ms`.
template<class ... Ms>
class EventSignal
{
public:
  EventSignal() = default;
  EventSignal(const EventSignal &) = delete;
  EventSignal & operator=(const EventSignal &) = delete;

  ~EventSignal()
  {
    callbacks_->clear();
  }

  /// Adds a callback.
  template<class F>
  Connection connect(F callable)
  {
    return callbacks_->add(makeCallback(std::move(callable)));
  }

  /// Adds a member function of an object as a callback.
  template<class Member, class Object>
  Connection connect(Member member, Object * object)
  {
    return connect(BoundMember<Member, Object>{member, object});
  }

  template<class F>
  static std::shared_ptr<CallbackBase> makeCallback(F callable)
  {
    return std::make_shared<Callback<F, Ms...>>(std::move(callable));
  }

  CallbackList & callbacks()
  {
    return *callbacks_;
  }

  /// Calls the callbacks. Several callbacks share the message: those that may change it get copies.
  void call(const MessageEvent<Ms const> & ... events) const
  {
    const Delivery delivery(callbacks_);
    if (delivery.isShared() && !(events.nonConstWillCopy() && ...)) {
      deliver(delivery, MessageEvent<Ms const>(events, true)...);
    } else {
      deliver(delivery, events...);
    }
  }

private:
  static void deliver(const Delivery & delivery, const MessageEvent<Ms const> & ... events)
  {
    const void * const addresses[] = {&events ...};
    delivery.call(addresses);
  }

  const std::shared_ptr<CallbackList> callbacks_ = std::make_shared<CallbackList>();
};

}  // namespace impl
}  // namespace message_filters

#endif
