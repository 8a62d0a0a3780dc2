// What the sources of rclcpp share: the objects of libsaltus, and its failures as exceptions.
#ifndef LIBSALTUS_HPP_
#define LIBSALTUS_HPP_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/exceptions.hpp"
#include "saltus/message_support.hpp"
#include "saltus/saltus.h"

namespace rclcpp::detail
{

/// Returns the reason why the last function of libsaltus has failed on this thread.
inline std::string last_error() {return saltus_error_message();}

/// Throws the exception for a failure of libsaltus. `what` is what was to be done, `name` that of the topic or service.
[[noreturn]] void throw_failure(saltus_status_t status, const std::string & what, const std::string & name = "");

/// Throws the exception for a failure of libsaltus, if there is one.
inline void check(saltus_status_t status, const std::string & what, const std::string & name = "")
{
  if (status != SALTUS_OK) {
    throw_failure(status, what, name);
  }
}

/// Returns an object of libsaltus that `create` has made. `name` is that of the topic or service.
template<typename T, typename Create>
T * created(const std::string & what, Create create, const std::string & name = "")
{
  T * object = nullptr;
  check(create(&object), what, name);
  return object;
}

/// Returns an object of libsaltus with its owner.
template<typename T>
std::shared_ptr<T> shared(T * object, void (* destroy)(T *)) {return std::shared_ptr<T>(object, destroy);}

/// Returns a text of libsaltus, and frees it.
inline std::string taken(saltus_text_t * text)
{
  std::string result = saltus_text_data(text);
  saltus_text_destroy(text);
  return result;
}

/// Runs a callback of the program. Nothing is thrown into libsaltus: an exception is kept, and the spin ends.
template<typename Callback>
saltus_next_t guarded(Callback callback) noexcept;

/// Keeps the exception that is handled now, for the function that runs the callback.
void keep_exception() noexcept;
/// Throws an exception that was kept on this thread. If `any` is true, and there is none, one of another thread.
void throw_kept(bool any);

template<typename Callback>
saltus_next_t guarded(Callback callback) noexcept
{
  try {
    callback();
    return SALTUS_CONTINUE;
  } catch (...) {
    keep_exception();
    return SALTUS_STOP;
  }
}

/// Returns the type support of a message as Saltus has it.
/// \throws std::runtime_error if the type support comes from elsewhere
const saltus::MessageSupport & support_of(const rosidl_message_type_support_t * handle);
/// Returns the type support of a service as Saltus has it.
const saltus::ServiceSupport & support_of(const rosidl_service_type_support_t * handle);

/// Returns how many bytes a message takes.
/// \throws rclcpp::exceptions::RCLError, whose text begins with `what`, if a text exceeds its bound
size_t size_of(const saltus::MessageSupport & support, const void * message, const char * what);

/// The bytes of a message. Their memory is that of the message before on the same thread: large memory that is freed goes back to the
/// system, which fills it with zeros before it can be used again.
class Bytes
{
public:
  /// \throws rclcpp::exceptions::RCLError, whose text begins with `what`, if a text exceeds its bound
  Bytes(const saltus::MessageSupport & support, const void * message, const char * what);
  Bytes(const Bytes &) = delete;
  Bytes & operator=(const Bytes &) = delete;
  ~Bytes();

  const uint8_t * data() const {return memory_.data();}
  size_t size() const {return size_;}

private:
  std::vector<uint8_t> memory_;
  size_t size_;
};

/// Returns a type for libsaltus.
template<typename Support>
saltus_type_t type_of(const Support & support)
{
  saltus_type_t type{sizeof(saltus_type_t), support.name, {}, support.description};
  for (size_t index = 0; index < sizeof type.hash; ++index) {
    type.hash[index] = support.hash.value[index];
  }
  return type;
}

}  // namespace rclcpp::detail

#endif  // LIBSALTUS_HPP_
