#include "tf2/buffer_core.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "buffer_core_impl.hpp"
#include "rcutils/logging_macros.h"

namespace tf2
{

namespace
{

constexpr std::int64_t NANOSECONDS = 1000000000;
// As many kinds of refusals as are logged.
constexpr std::size_t MAX_REFUSALS = 100;
constexpr std::size_t MAX_REFUSAL_LENGTH = 500;

saltus_tf_transform_t toNumbers(const geometry_msgs::msg::TransformStamped & message)
{
  saltus_tf_transform_t numbers;
  saltus_tf_transform_init(&numbers, sizeof numbers);
  const auto & stamp = message.header.stamp;
  const auto & [translation, rotation] = std::tie(message.transform.translation, message.transform.rotation);
  numbers.stamp = stamp.sec * NANOSECONDS + stamp.nanosec;
  numbers.translation[0] = translation.x;
  numbers.translation[1] = translation.y;
  numbers.translation[2] = translation.z;
  numbers.rotation[0] = rotation.x;
  numbers.rotation[1] = rotation.y;
  numbers.rotation[2] = rotation.z;
  numbers.rotation[3] = rotation.w;
  return numbers;
}

geometry_msgs::msg::TransformStamped toMessage(
  const saltus_tf_transform_t & numbers, const std::string & target, const std::string & source)
{
  geometry_msgs::msg::TransformStamped message;
  // The nanoseconds of a message are never negative.
  const auto seconds = numbers.stamp / NANOSECONDS - (numbers.stamp % NANOSECONDS < 0 ? 1 : 0);
  message.header.stamp.sec = static_cast<std::int32_t>(seconds);
  message.header.stamp.nanosec = static_cast<std::uint32_t>(numbers.stamp - seconds * NANOSECONDS);
  message.header.frame_id = target;
  message.child_frame_id = source;
  auto & [translation, rotation] = message.transform;
  translation.x = numbers.translation[0];
  translation.y = numbers.translation[1];
  translation.z = numbers.translation[2];
  rotation.x = numbers.rotation[0];
  rotation.y = numbers.rotation[1];
  rotation.z = numbers.rotation[2];
  rotation.w = numbers.rotation[3];
  return message;
}

bool tell(saltus_status_t status, std::string * error_msg)
{
  if (status != SALTUS_OK && error_msg != nullptr) {
    *error_msg = saltus_error_message();
  }
  return status == SALTUS_OK;
}

}  // namespace

TF2Error toError(saltus_status_t status)
{
  switch (status) {
    case SALTUS_OK: return TF2Error::TF2_NO_ERROR;
    case SALTUS_INVALID_ARGUMENT: return TF2Error::TF2_INVALID_ARGUMENT_ERROR;
    case SALTUS_TF_LOOKUP: return TF2Error::TF2_LOOKUP_ERROR;
    case SALTUS_TF_CONNECTIVITY: return TF2Error::TF2_CONNECTIVITY_ERROR;
    case SALTUS_TF_BACKWARD_EXTRAPOLATION: return TF2Error::TF2_BACKWARD_EXTRAPOLATION_ERROR;
    case SALTUS_TF_FORWARD_EXTRAPOLATION: return TF2Error::TF2_FORWARD_EXTRAPOLATION_ERROR;
    case SALTUS_TF_NO_DATA: return TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR;
    case SALTUS_TIMEOUT: return TF2Error::TF2_TIMEOUT_ERROR;
    default: return TF2Error::TF2_TRANSFORM_ERROR;
  }
}

void throwUnlessOk(saltus_status_t status)
{
  const std::string text = status == SALTUS_OK ? "" : saltus_error_message();
  switch (toError(status)) {
    case TF2Error::TF2_NO_ERROR: return;
    case TF2Error::TF2_INVALID_ARGUMENT_ERROR: throw InvalidArgumentException(text);
    case TF2Error::TF2_LOOKUP_ERROR: throw LookupException(text);
    case TF2Error::TF2_CONNECTIVITY_ERROR: throw ConnectivityException(text);
    case TF2Error::TF2_BACKWARD_EXTRAPOLATION_ERROR: throw BackwardExtrapolationException(text);
    case TF2Error::TF2_FORWARD_EXTRAPOLATION_ERROR: throw ForwardExtrapolationException(text);
    case TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR: throw NoDataForExtrapolationException(text);
    case TF2Error::TF2_TIMEOUT_ERROR: throw TimeoutException(text);
    default: throw TransformException(text);
  }
}

std::string takeText(saltus_text_t * text)
{
  std::string taken = saltus_text_data(text);
  saltus_text_destroy(text);
  return taken;
}

void RefusalLog::add(const std::string & frame, const std::string & reason)
{
  // The first word of a reason is its kind.
  const auto kind = reason.substr(0, reason.find_first_of(": "));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (logged_.size() >= MAX_REFUSALS || !logged_.emplace(frame.substr(0, MAX_REFUSAL_LENGTH), kind).second) {
      return;
    }
  }
  RCUTILS_LOG_WARN_NAMED("tf2", "%s", reason.substr(0, MAX_REFUSAL_LENGTH).c_str());
}

BufferCore::Impl::Impl(tf2::Duration kept)
: cache_time(kept)
{
  saltus_tf_buffer_t * made = nullptr;
  const auto nanoseconds = kept.count() > 0 ? kept.count() : 0;
  throwUnlessOk(saltus_tf_buffer_create(static_cast<std::uint64_t>(nanoseconds), &made));
  buffer.reset(made);
}

BufferCore::BufferCore(tf2::Duration cache_time)
: impl_(std::make_unique<Impl>(cache_time))
{
}

BufferCore::~BufferCore()
{
  impl_->requests->clear();
}

void BufferCore::clear()
{
  throwUnlessOk(saltus_tf_buffer_clear(impl_->buffer.get()));
}

bool BufferCore::setTransform(
  const geometry_msgs::msg::TransformStamped & transform, const std::string & authority, bool is_static)
{
  const auto numbers = toNumbers(transform);
  const auto status = saltus_tf_buffer_set(
    impl_->buffer.get(), transform.header.frame_id.c_str(), transform.child_frame_id.c_str(), &numbers, is_static,
    authority.c_str());
  if (status != SALTUS_OK) {
    impl_->refusals.add(transform.child_frame_id, saltus_error_message());
  }
  Requests::rethrow();
  return status == SALTUS_OK;
}

geometry_msgs::msg::TransformStamped BufferCore::lookupTransform(
  const std::string & target_frame, const std::string & source_frame, const TimePoint & time) const
{
  saltus_tf_transform_t found;
  saltus_tf_transform_init(&found, sizeof found);
  throwUnlessOk(
    saltus_tf_buffer_lookup(
      impl_->buffer.get(), target_frame.c_str(), source_frame.c_str(), toNanoseconds(time), &found));
  return toMessage(found, target_frame, source_frame);
}

geometry_msgs::msg::TransformStamped BufferCore::lookupTransform(
  const std::string & target_frame, const TimePoint & target_time, const std::string & source_frame,
  const TimePoint & source_time, const std::string & fixed_frame) const
{
  saltus_tf_transform_t found;
  saltus_tf_transform_init(&found, sizeof found);
  throwUnlessOk(
    saltus_tf_buffer_lookup_across(
      impl_->buffer.get(), target_frame.c_str(), toNanoseconds(target_time), source_frame.c_str(),
      toNanoseconds(source_time), fixed_frame.c_str(), &found));
  return toMessage(found, target_frame, source_frame);
}

bool BufferCore::canTransform(
  const std::string & target_frame, const std::string & source_frame, const TimePoint & time,
  std::string * error_msg) const
{
  return tell(
    saltus_tf_buffer_can_transform(
      impl_->buffer.get(), target_frame.c_str(), source_frame.c_str(), toNanoseconds(time)), error_msg);
}

bool BufferCore::canTransform(
  const std::string & target_frame, const TimePoint & target_time, const std::string & source_frame,
  const TimePoint & source_time, const std::string & fixed_frame, std::string * error_msg) const
{
  return tell(
    saltus_tf_buffer_can_transform_across(
      impl_->buffer.get(), target_frame.c_str(), toNanoseconds(target_time), source_frame.c_str(),
      toNanoseconds(source_time), fixed_frame.c_str()), error_msg);
}

TransformableRequestHandle BufferCore::addTransformableRequest(
  const TransformableCallback & cb, const std::string & target_frame, const std::string & source_frame,
  TimePoint time)
{
  return impl_->requests->add(impl_->buffer.get(), {cb, target_frame, source_frame, time});
}

void BufferCore::cancelTransformableRequest(TransformableRequestHandle handle)
{
  impl_->requests->cancel(handle);
}

void BufferCore::setUsingDedicatedThread(bool value)
{
  impl_->using_dedicated_thread = value;
}

bool BufferCore::isUsingDedicatedThread() const
{
  return impl_->using_dedicated_thread;
}

tf2::Duration BufferCore::getCacheLength() const
{
  return impl_->cache_time;
}

saltus_tf_buffer_t * BufferCore::get_saltus_buffer() const
{
  return impl_->buffer.get();
}

}  // namespace tf2
