#ifndef RCLCPP__ANY_SUBSCRIPTION_CALLBACK_HPP_
#define RCLCPP__ANY_SUBSCRIPTION_CALLBACK_HPP_

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "rclcpp/detail/intra_process.hpp"
#include "rclcpp/detail/local_message.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/serialized_message.hpp"
#include "rclcpp/type_adapter.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rosidl_runtime_c/message_type_support_struct.h"

struct saltus_message_t;

namespace rclcpp
{
namespace detail
{

/// Reads a message that was received. Returns false if it is not one of its type.
RCLCPP_PUBLIC bool read_message(
  const rosidl_message_type_support_t & support, const saltus_message_t & received, void * message);
/// Returns the bytes of a message that was received.
RCLCPP_PUBLIC SerializedMessage serialized_message(const saltus_message_t & received);
/// Returns the bytes of a message.
/// \throws rclcpp::exceptions::RCLError if a text exceeds its bound
RCLCPP_PUBLIC SerializedMessage serialized_message(const rosidl_message_type_support_t & support, const void * message);
/// Returns the information about a message that was received.
RCLCPP_PUBLIC MessageInfo message_info(const saltus_message_t & received);

/// How a callback takes its message.
enum class MessageForm
{
  ConstRef,
  SharedConst,
  Shared,
  Unique,
  None,
};

/// Returns how a callback takes a message `M`, followed by `Rest`.
template<typename Callback, typename M, typename ... Rest>
constexpr MessageForm message_form()
{
  if constexpr (std::is_invocable_v<Callback &, const M &, Rest...>) {
    return MessageForm::ConstRef;
  } else if constexpr (std::is_invocable_v<Callback &, std::shared_ptr<const M>, Rest...>) {
    return MessageForm::SharedConst;
  } else if constexpr (std::is_invocable_v<Callback &, std::shared_ptr<M>, Rest...>) {
    return MessageForm::Shared;
  } else if constexpr (std::is_invocable_v<Callback &, std::unique_ptr<M>, Rest...>) {
    return MessageForm::Unique;
  } else {
    return MessageForm::None;
  }
}

/// Whether a callback takes a message `M`, with the information about it or without.
template<typename Callback, typename M>
constexpr bool takes_message()
{
  return message_form<Callback, M>() != MessageForm::None ||
         message_form<Callback, M, const MessageInfo &>() != MessageForm::None;
}

/// Calls a callback with a message of a publisher of its process, without a copy if the callback can have it as it is.
template<MessageForm form, typename M, typename Callback, typename ... Rest>
void call_with_given(Callback & callback, IntraProcessMessage & message, const Rest & ... rest)
{
  if constexpr (form == MessageForm::ConstRef) {
    callback(message.read<M>(), rest ...);
  } else if constexpr (form == MessageForm::SharedConst) {
    callback(message.take_shared<M>(), rest ...);
  } else if constexpr (form == MessageForm::Shared) {
    callback(std::shared_ptr<M>(message.take_owned<M>()), rest ...);
  } else {
    callback(message.take_owned<M>(), rest ...);
  }
}

/// Calls a callback with a message that nobody else has.
template<MessageForm form, typename Callback, typename M, typename ... Rest>
void call_with(Callback & callback, std::shared_ptr<M> message, const Rest & ... rest)
{
  if constexpr (form == MessageForm::ConstRef) {
    callback(static_cast<const M &>(*message), rest ...);
  } else if constexpr (form == MessageForm::SharedConst) {
    callback(std::shared_ptr<const M>(std::move(message)), rest ...);
  } else if constexpr (form == MessageForm::Shared) {
    callback(std::move(message), rest ...);
  } else {
    callback(std::make_unique<M>(std::move(*message)), rest ...);
  }
}

}  // namespace detail

/// The callback of a subscription, in any of the forms that are allowed.
template<typename MessageT, typename AllocatorT = std::allocator<void>>
class AnySubscriptionCallback
{
  using Adapter = TypeAdapter<MessageT>;
  using CustomType = typename Adapter::custom_type;
  using ROSMessageType = typename Adapter::ros_message_type;

public:
  AnySubscriptionCallback() = default;
  explicit AnySubscriptionCallback(const AllocatorT &) {}

  /// Sets the callback.
  template<typename CallbackT>
  AnySubscriptionCallback & set(CallbackT && callback)
  {
    using Callback = std::decay_t<CallbackT>;
    if constexpr (Adapter::is_specialized::value && detail::takes_message<Callback, CustomType>()) {
      set_for<CustomType>(Callback(std::forward<CallbackT>(callback)));
    } else if constexpr (detail::takes_message<Callback, ROSMessageType>()) {
      set_for<ROSMessageType>(Callback(std::forward<CallbackT>(callback)));
    } else {
      static_assert(
        detail::takes_message<Callback, SerializedMessage>(),
        "a subscription callback takes one of: const M &, M::SharedPtr, M::ConstSharedPtr, M::UniquePtr, or the same forms "
        "of rclcpp::SerializedMessage; and then, if it wants, const rclcpp::MessageInfo &");
      is_serialized_ = true;
      set_for<SerializedMessage>(Callback(std::forward<CallbackT>(callback)));
    }
    return *this;
  }

  /// Whether the callback takes bytes.
  bool is_serialized_message_callback() const {return is_serialized_;}
  /// Whether there is a callback.
  explicit operator bool() const {return static_cast<bool>(deliver_);}

  /// Calls the callback with a message that was received. Returns false if it is not one of its type.
  bool deliver(const rosidl_message_type_support_t & support, const saltus_message_t & received) const
  {
    return deliver_(support, received);
  }
  /// Returns what the callback takes from publishers of its process as pointers. One that takes bytes takes no pointers.
  std::optional<detail::IntraProcessWants> intra_process_wants() const {return wants_;}
  /// Calls the callback with a message of a publisher of its process.
  void deliver_intra_process(detail::IntraProcessMessage & message) const {deliver_intra_process_(message);}
  /// Calls the callback with a message, or with the bytes of one if it takes bytes.
  /// \throws std::runtime_error if there is no callback, or it takes the other form
  void dispatch(std::shared_ptr<ROSMessageType> message, const MessageInfo & info) const
  {
    if constexpr (std::is_same_v<ROSMessageType, SerializedMessage>) {
      check(dispatch_serialized_)(std::move(message), info);
    } else {
      check(dispatch_)(std::move(message), info);
    }
  }
  template<typename T = ROSMessageType>
  std::enable_if_t<!std::is_same_v<T, SerializedMessage>>
  dispatch(std::shared_ptr<SerializedMessage> message, const MessageInfo & info) const
  {
    check(dispatch_serialized_)(std::move(message), info);
  }
  /// Calls the callback with a message of the type that programs give to publish(). The callback gets its own copy.
  /// \throws std::runtime_error if there is no message or no callback, or the callback takes bytes
  void dispatch_intra_process(std::shared_ptr<const CustomType> message, const MessageInfo & info) const
  {
    dispatch(ros_message(existing(message)), info);
  }
  void dispatch_intra_process(std::unique_ptr<CustomType> message, const MessageInfo & info) const
  {
    dispatch(ros_message(std::move(existing(message))), info);
  }

private:
  template<typename Function>
  const Function & check(const Function & function) const
  {
    if (!deliver_) {
      throw std::runtime_error("dispatch called on an unset AnySubscriptionCallback");
    }
    if (!function) {
      throw std::runtime_error(
              is_serialized_ ? "a message was dispatched to a callback that takes the bytes of messages" :
              "the bytes of a message were dispatched to a callback that takes messages");
    }
    return function;
  }

  template<typename Pointer>
  static auto & existing(const Pointer & message)
  {
    if (!message) {
      throw std::runtime_error("dispatch called with a null pointer instead of a message");
    }
    return *message;
  }

  template<typename M>
  static std::shared_ptr<ROSMessageType> ros_message(M && message)
  {
    if constexpr (std::is_same_v<CustomType, ROSMessageType>) {
      return std::make_shared<ROSMessageType>(std::forward<M>(message));
    } else {
      auto converted = std::make_shared<ROSMessageType>();
      Adapter::convert_to_ros_message(message, *converted);
      return converted;
    }
  }

  template<typename M, typename Callback>
  void set_for(Callback callback)
  {
    constexpr auto form = detail::message_form<Callback, M>();
    auto shared = std::make_shared<Callback>(std::move(callback));
    if constexpr (form != detail::MessageForm::None) {
      deliver_ = [shared](const rosidl_message_type_support_t & support, const saltus_message_t & received) {
          return deliver_as<form, M>(*shared, support, received);
        };
      set_dispatch<form, M>([shared](auto message, const MessageInfo &) {
          detail::call_with<form>(*shared, std::move(message));
        });
      set_intra_process<form, M>([shared](detail::IntraProcessMessage & message) {
          detail::call_with_given<form, M>(*shared, message);
        });
    } else {
      constexpr auto form_with_info = detail::message_form<Callback, M, const MessageInfo &>();
      deliver_ = [shared](const rosidl_message_type_support_t & support, const saltus_message_t & received) {
          return deliver_as<form_with_info, M>(*shared, support, received, detail::message_info(received));
        };
      set_dispatch<form_with_info, M>([shared](auto message, const MessageInfo & info) {
          detail::call_with<form_with_info>(*shared, std::move(message), info);
        });
      set_intra_process<form_with_info, M>([shared](detail::IntraProcessMessage & message) {
          const MessageInfo info = message.info();
          detail::call_with_given<form_with_info, M>(*shared, message, info);
        });
    }
  }

  template<detail::MessageForm form, typename M, typename Call>
  void set_intra_process(Call call)
  {
    if constexpr (!std::is_same_v<M, SerializedMessage>) {
      wants_ = {typeid(M), form == detail::MessageForm::Shared || form == detail::MessageForm::Unique};
      if constexpr (std::is_same_v<M, ROSMessageType>) {
        deliver_intra_process_ = std::move(call);
      } else {
        deliver_intra_process_ = [call](detail::IntraProcessMessage & message) {
            if (message.is<M>()) {
              call(message);
              return;
            }
            auto custom = std::make_unique<M>();
            Adapter::convert_to_custom(message.read<ROSMessageType>(), *custom);
            auto converted = detail::IntraProcessMessage::owned(std::move(custom), message.info());
            call(converted);
          };
      }
    }
  }

  template<detail::MessageForm form, typename M, typename Call>
  void set_dispatch(Call call)
  {
    if constexpr (std::is_same_v<M, SerializedMessage>) {
      dispatch_serialized_ = [call](std::shared_ptr<SerializedMessage> message, const MessageInfo & info) {
          call(std::move(message), info);
        };
    } else if constexpr (std::is_same_v<M, ROSMessageType>) {
      dispatch_ = [call](std::shared_ptr<ROSMessageType> message, const MessageInfo & info) {
          call(std::move(message), info);
        };
    } else {
      dispatch_ = [call](std::shared_ptr<ROSMessageType> message, const MessageInfo & info) {
          auto custom = std::make_shared<M>();
          Adapter::convert_to_custom(*message, *custom);
          call(std::move(custom), info);
        };
    }
  }

  /// Reads a message, and calls the callback with it.
  template<detail::MessageForm form, typename M, typename Callback, typename ... Rest>
  static bool deliver_as(
    Callback & callback, const rosidl_message_type_support_t & support, const saltus_message_t & received,
    const Rest & ... rest)
  {
    if constexpr (std::is_same_v<M, SerializedMessage>) {
      detail::call_with<form>(
        callback, std::make_shared<SerializedMessage>(detail::serialized_message(received)), rest ...);
    } else if constexpr (!std::is_same_v<M, ROSMessageType>) {
      detail::LocalMessage<ROSMessageType> message;
      if (!detail::read_message(support, received, &*message)) {
        return false;
      }
      auto custom = std::make_shared<M>();
      Adapter::convert_to_custom(*message, *custom);
      detail::call_with<form>(callback, std::move(custom), rest ...);
    } else if constexpr (form == detail::MessageForm::ConstRef) {
      // The callback does not keep the message, so it needs no memory of its own.
      detail::LocalMessage<M> message;
      if (!detail::read_message(support, received, &*message)) {
        return false;
      }
      callback(static_cast<const M &>(*message), rest ...);
    } else if constexpr (form == detail::MessageForm::Unique) {
      auto message = std::make_unique<M>();
      if (!detail::read_message(support, received, message.get())) {
        return false;
      }
      callback(std::move(message), rest ...);
    } else {
      auto message = std::make_shared<M>();
      if (!detail::read_message(support, received, message.get())) {
        return false;
      }
      detail::call_with<form>(callback, std::move(message), rest ...);
    }
    return true;
  }

  std::function<bool(const rosidl_message_type_support_t &, const saltus_message_t &)> deliver_;
  std::function<void(std::shared_ptr<ROSMessageType>, const MessageInfo &)> dispatch_;
  std::function<void(std::shared_ptr<SerializedMessage>, const MessageInfo &)> dispatch_serialized_;
  std::function<void(detail::IntraProcessMessage &)> deliver_intra_process_;
  std::optional<detail::IntraProcessWants> wants_;
  bool is_serialized_ = false;
};

}  // namespace rclcpp

#endif  // RCLCPP__ANY_SUBSCRIPTION_CALLBACK_HPP_
