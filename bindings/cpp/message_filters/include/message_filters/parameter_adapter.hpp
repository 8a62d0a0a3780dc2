// The forms in which a callback may take a message.
#ifndef MESSAGE_FILTERS_PARAMETER_ADAPTER_HPP_
#define MESSAGE_FILTERS_PARAMETER_ADAPTER_HPP_

#include <memory>
#include <type_traits>

#include "message_filters/impl/support.hpp"
#include "message_filters/message_event.hpp"

namespace message_filters
{

namespace impl
{

/// Returns the message of an event. Throws std::runtime_error if there is none.
template<typename M>
const M & messageOf(const MessageEvent<M const> & event)
{
  if (!event.getConstMessage()) {
    throwNoMessage();
  }
  return *event.getConstMessage();
}

/// What the adapters have in common.
template<typename M, typename P, bool IsConst>
struct Adapter
{
  typedef M Message;
  typedef MessageEvent<Message const> Event;
  typedef P Parameter;
  /// Whether the callback can't change the message.
  static constexpr bool is_const = IsConst;
};

}  // namespace impl

/// Makes the parameter `P` of a callback from an event. A parameter of another type is a copy of the message.
template<typename P>
struct ParameterAdapter : impl::Adapter<std::remove_reference_t<std::remove_const_t<P>>, P, true>
{
  static P getParameter(const typename ParameterAdapter::Event & event)
  {
    return impl::messageOf(event);
  }
};

template<typename M>
struct ParameterAdapter<const M &> : impl::Adapter<M, const M &, true>
{
  static const M & getParameter(const MessageEvent<M const> & event)
  {
    return impl::messageOf(event);
  }
};

template<typename M>
struct ParameterAdapter<const std::shared_ptr<M const> &> : impl::Adapter<M, const std::shared_ptr<M const> &, true>
{
  static const std::shared_ptr<M const> & getParameter(const MessageEvent<M const> & event)
  {
    return event.getConstMessage();
  }
};

template<typename M>
struct ParameterAdapter<std::shared_ptr<M const>> : impl::Adapter<M, std::shared_ptr<M const>, true>
{
  static std::shared_ptr<M const> getParameter(const MessageEvent<M const> & event)
  {
    return event.getConstMessage();
  }
};

template<typename M>
struct ParameterAdapter<std::shared_ptr<M>> : impl::Adapter<M, std::shared_ptr<M>, false>
{
  static std::shared_ptr<M> getParameter(const MessageEvent<M const> & event)
  {
    return MessageEvent<M>(event).getMessage();
  }
};

template<typename M>
struct ParameterAdapter<const std::shared_ptr<M> &> : ParameterAdapter<std::shared_ptr<M>>
{
};

template<typename M>
struct ParameterAdapter<const MessageEvent<M const> &> : impl::Adapter<M, const MessageEvent<M const> &, true>
{
  static const MessageEvent<M const> & getParameter(const MessageEvent<M const> & event)
  {
    return event;
  }
};

template<typename M>
struct ParameterAdapter<MessageEvent<M const>> : ParameterAdapter<const MessageEvent<M const> &>
{
};

template<typename M>
struct ParameterAdapter<MessageEvent<M>> : impl::Adapter<M, MessageEvent<M>, false>
{
  static MessageEvent<M> getParameter(const MessageEvent<M const> & event)
  {
    return MessageEvent<M>(event);
  }
};

template<typename M>
struct ParameterAdapter<const MessageEvent<M> &> : ParameterAdapter<MessageEvent<M>>
{
};

}  // namespace message_filters

#endif
