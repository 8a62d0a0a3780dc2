// Services and their clients.
#ifndef SALTUS__SERVICE_HPP_
#define SALTUS__SERVICE_HPP_

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rosidl_typesupport_cpp/service_type_support.hpp"
#include "saltus/topic.hpp"

namespace saltus
{
namespace detail
{

template<typename ServiceT>
saltus_type_t service_type()
{
  const auto * handle = rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>();
  return type_of(*static_cast<const ServiceSupport *>(handle->data));
}

/// Returns how many bytes a message takes. Fails if a text exceeds its bound.
template<typename MessageT>
Result<size_t> size_of(const MessageT & message)
{
  const char * too_long = nullptr;
  const size_t size = detail::support<MessageT>().size(&message, &too_long);
  if (too_long != nullptr) {
    return unwritable("the text of the field '" + std::string(too_long) + "' exceeds its bound");
  }
  return size;
}

/// Returns the bytes of a message.
template<typename MessageT>
Result<std::vector<uint8_t>> bytes_of(const MessageT & message)
{
  const auto size = size_of(message);
  if (!size) {
    return size.failure();
  }
  std::vector<uint8_t> bytes(*size);
  detail::support<MessageT>().write(&message, bytes.data());
  return bytes;
}

/// Returns the message of some bytes.
template<typename MessageT>
Result<MessageT> message_of(const saltus_message_t * message)
{
  MessageT value;
  const char * fault =
    detail::support<MessageT>().read(&value, saltus_message_data(message), saltus_message_size(message));
  if (fault != nullptr) {
    return Status(SALTUS_UNREADABLE, fault);
  }
  return value;
}

/// Logs that a message of a type is dropped, and why. The program has no function that could return it.
template<typename MessageT>
void warn_of_drop(const std::string & why)
{
  saltus_logger_t * logger = nullptr;
  if (saltus_logger_create("saltus", &logger) == SALTUS_OK) {
    const std::string text = std::string("a message of type ") + support<MessageT>().name + " is dropped: " + why;
    saltus_log(logger, SALTUS_SEVERITY_WARN, __FILE__, __func__, __LINE__, text.c_str());
    saltus_logger_destroy(logger);
  }
}

}  // namespace detail

/// Sends the response to a request, on any thread. If it is destroyed before, the client learns that there will be no response.
template<typename ServiceT>
class Responder
{
public:
  /// Sends the response. Fails if it does not fit its type, or if the client has gone. It ends the responder in any case.
  Status respond(const typename ServiceT::Response & response) &&
  {
    auto handle = std::move(handle_);
    const auto size = detail::size_of(response);
    if (!size) {
      return size.failure();
    }
    const auto & support = detail::support<typename ServiceT::Response>();
    return Status(saltus_responder_send_with(handle.release(), *size, support.write, &response));
  }

private:
  template<typename>
  friend class Server;

  explicit Responder(saltus_responder_t * handle)
  : handle_(handle) {}

  detail::Handle<saltus_responder_t, &saltus_responder_destroy> handle_;
};

/// A server of a service. It ends when it is destroyed.
template<typename ServiceT>
class Server
{
public:
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;

  /// An executor calls `callback` with each request, which it may take as a value and keep. It returns the response; or it also takes a `Responder<ServiceT>`, which it may
  /// keep for later.
  template<typename Callback>
  static Result<Server> create(
    const Node & node, const std::string & service, Callback && callback, const Group & group = Group())
  {
    using Function = std::decay_t<Callback>;
    static_assert(
      IS_DEFERRED<Function> || std::is_invocable_r_v<Response, Function &, Request>,
      "a service takes a request, and returns a response or takes a responder");
    const saltus_type_t type = detail::service_type<ServiceT>();
    saltus_service_options_t options;
    saltus_service_options_init(&options, sizeof options);
    options.service = service.c_str();
    options.type = &type;
    options.group = group.get();
    auto handle = detail::created<Handle>(
      [&](saltus_service_t ** place) {
        return saltus_service_create(
          node.get(), &options, &serve<Function>, detail::owned(std::forward<Callback>(callback)),
          &detail::drop<Function>, place);
      });
    return handle ? Result<Server>(Server(std::move(*handle))) : Result<Server>(handle.failure());
  }

private:
  using Handle = detail::Handle<saltus_service_t, &saltus_service_destroy>;

  /// Whether the callback of a service takes a responder.
  template<typename Function>
  static constexpr bool IS_DEFERRED = std::is_invocable_v<Function &, Request, Responder<ServiceT>>;

  /// A request that can't be read, or whose response can't be sent, is dropped: the client learns it at once, and it is logged.
  template<typename Function>
  static saltus_next_t serve(void * context, saltus_message_t * message, saltus_responder_t * handle) noexcept
  {
    Responder<ServiceT> responder(handle);
    auto request = detail::message_of<Request>(message);
    auto & callback = *static_cast<Function *>(context);
    if (!request) {
      detail::warn_of_drop<Request>(request.failure().text());
    } else if constexpr (IS_DEFERRED<Function>) {
      callback(std::move(*request), std::move(responder));
    } else {
      const Status sent = std::move(responder).respond(callback(std::move(*request)));
      // A client that has gone needs no response.
      if (!sent && sent.code() != SALTUS_CLIENT_GONE) {
        detail::warn_of_drop<Response>(sent.text());
      }
    }
    return SALTUS_CONTINUE;
  }

  explicit Server(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

/// A client of a service. May be used on any thread.
template<typename ServiceT>
class Client
{
public:
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;

  static Result<Client> create(const Node & node, const std::string & service)
  {
    const saltus_type_t type = detail::service_type<ServiceT>();
    saltus_service_options_t options;
    saltus_service_options_init(&options, sizeof options);
    options.service = service.c_str();
    options.type = &type;
    auto handle = detail::created<Handle>(
      [&](saltus_client_t ** place) {return saltus_client_create(node.get(), &options, place);});
    return handle ? Result<Client>(Client(std::move(*handle))) : Result<Client>(handle.failure());
  }

  /// Waits until there is a server. Fails after the timeout. A negative timeout is none.
  Status wait(std::chrono::nanoseconds timeout) const
  {
    return Status(saltus_client_wait(handle_.get(), timeout.count()));
  }
  /// Calls the service, and waits for the response on this thread. It needs no executor, and may be used in a callback.
  Result<Response> call(const Request & request, std::chrono::nanoseconds timeout) const
  {
    const auto size = detail::size_of(request);
    if (!size) {
      return size.failure();
    }
    const auto & support = detail::support<Request>();
    auto response = detail::created<Message>(
      [&](saltus_message_t ** place) {
        return saltus_client_call_and_wait_with(
          handle_.get(), *size, support.write, &request, timeout.count(), place);
      });
    return response ? detail::message_of<Response>(response->get()) : Result<Response>(response.failure());
  }

private:
  using Handle = detail::Handle<saltus_client_t, &saltus_client_destroy>;
  using Message = detail::Handle<saltus_message_t, &saltus_message_destroy>;

  explicit Client(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace saltus

#endif  // SALTUS__SERVICE_HPP_
