#include "libsaltus.hpp"

#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "rcl/validate_topic_name.h"

namespace rclcpp::detail
{
namespace
{

/// The exceptions that callbacks have thrown, by the threads on which they ran.
struct KeptExceptions
{
  std::mutex mutex;
  std::map<std::thread::id, std::exception_ptr> all;
};

/// They are never destroyed, because threads of libsaltus may outlive the static objects of a program.
KeptExceptions & kept()
{
  static auto * exceptions = new KeptExceptions();
  return *exceptions;
}

}  // namespace

void keep_exception() noexcept
{
  KeptExceptions & exceptions = kept();
  std::lock_guard<std::mutex> lock(exceptions.mutex);
  exceptions.all[std::this_thread::get_id()] = std::current_exception();
}

void throw_kept(bool any)
{
  std::exception_ptr exception;
  {
    KeptExceptions & exceptions = kept();
    std::lock_guard<std::mutex> lock(exceptions.mutex);
    auto found = exceptions.all.find(std::this_thread::get_id());
    if (found == exceptions.all.end() && any) {
      found = exceptions.all.begin();
    }
    if (found == exceptions.all.end()) {
      return;
    }
    exception = found->second;
    exceptions.all.erase(found);
  }
  std::rethrow_exception(exception);
}

namespace
{

/// Throws the exception for the name of a topic or service, with the index of the first letter that is wrong.
template<typename Exception>
[[noreturn]] void throw_name(const std::string & name, const std::string & reason)
{
  int result = RCL_TOPIC_NAME_VALID;
  size_t index = 0;
  if (rcl_validate_topic_name(name.c_str(), &result, &index) != RCL_RET_OK || result == RCL_TOPIC_NAME_VALID) {
    // The name with the namespace of the node is not valid.
    index = 0;
  }
  throw Exception(name.c_str(), reason.c_str(), index);
}

}  // namespace

void throw_failure(saltus_status_t status, const std::string & what, const std::string & name)
{
  const std::string text = last_error();
  switch (status) {
    case SALTUS_OUT_OF_MEMORY:
      throw exceptions::RCLBadAlloc(RCL_RET_BAD_ALLOC, what + ": " + text);
    case SALTUS_INVALID_ARGUMENT:
      throw exceptions::RCLInvalidArgument(RCL_RET_INVALID_ARGUMENT, text, what);
    case SALTUS_INVALID_TOPIC_NAME:
      throw_name<exceptions::InvalidTopicNameError>(name, text);
    case SALTUS_INVALID_SERVICE_NAME:
      throw_name<exceptions::InvalidServiceNameError>(name, text);
    case SALTUS_INVALID_ROS_ARGUMENTS:
      throw exceptions::RCLInvalidROSArgsError(RCL_RET_INVALID_ROS_ARGS, text, what);
    case SALTUS_TIMEOUT:
      throw exceptions::RCLError(RCL_RET_TIMEOUT, text, what);
    case SALTUS_SHUT_DOWN:
      throw exceptions::RCLError(RCL_RET_NOT_INIT, text, what);
    default:
      throw exceptions::RCLError(RCL_RET_ERROR, text, what);
  }
}

namespace
{

template<typename Support, typename Handle>
const Support & checked_support(const Handle * handle)
{
  const Handle * own = handle == nullptr ? nullptr : handle->func(handle, saltus::TYPE_SUPPORT);
  if (own == nullptr) {
    throw std::runtime_error(
            "the type support of a message comes from another ROS 2 installation: generate its code with Saltus");
  }
  return *static_cast<const Support *>(own->data);
}

}  // namespace

const saltus::MessageSupport & support_of(const rosidl_message_type_support_t * handle)
{
  return checked_support<saltus::MessageSupport>(handle);
}

const saltus::ServiceSupport & support_of(const rosidl_service_type_support_t * handle)
{
  return checked_support<saltus::ServiceSupport>(handle);
}

namespace
{

/// The most memory that a thread keeps for messages.
constexpr size_t MOST_KEPT = 4 << 20;

std::vector<uint8_t> & kept_memory()
{
  thread_local std::vector<uint8_t> memory;
  return memory;
}

}  // namespace

size_t size_of(const saltus::MessageSupport & support, const void * message, const char * what)
{
  const char * too_long = nullptr;
  const size_t size = support.size(message, &too_long);
  if (too_long != nullptr) {
    throw exceptions::RCLError(
            RCL_RET_ERROR, "the text of the field '" + std::string(too_long) + "' exceeds its bound", what);
  }
  return size;
}

Bytes::Bytes(const saltus::MessageSupport & support, const void * message, const char * what)
: memory_(std::exchange(kept_memory(), {})), size_(size_of(support, message, what))
{
  if (memory_.size() < size_) {
    memory_.resize(size_);
  }
  support.write(message, memory_.data());
}

Bytes::~Bytes()
{
  // Another message may have been written meanwhile.
  std::vector<uint8_t> & kept = kept_memory();
  if (memory_.size() <= MOST_KEPT && memory_.size() > kept.size()) {
    kept = std::move(memory_);
  }
}

}  // namespace rclcpp::detail
