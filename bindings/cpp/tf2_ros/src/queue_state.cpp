#include "queue_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rclcpp/logging.hpp"
#include "tf2/exceptions.hpp"

namespace tf2_ros
{
namespace impl
{

namespace
{

// Dropped messages are logged so often at most.
constexpr std::chrono::seconds LOG_PERIOD(1);

std::string withoutSlash(const std::string & frame)
{
  return !frame.empty() && frame.front() == '/' ? frame.substr(1) : frame;
}

/// A running callback, until the end of a block.
class Passage
{
public:
  explicit Passage(Passages & passages)
  : passages_(passages), is_inside_(passages.enter()) {}
  ~Passage()
  {
    if (is_inside_) {
      passages_.leave();
    }
  }
  Passage(const Passage &) = delete;
  Passage & operator=(const Passage &) = delete;

  explicit operator bool() const {return is_inside_;}

private:
  Passages & passages_;
  const bool is_inside_;
};

/// Returns why the transform of a future is not known.
FilterFailureReason reasonOf(const TransformStampedFuture & future)
{
  try {
    future.get();
    return filter_failure_reasons::Unknown;
  } catch (const tf2::TimeoutException &) {
    return filter_failure_reasons::NoTransformFound;
  } catch (...) {
    return filter_failure_reasons::OutTheBack;
  }
}

}  // namespace

bool Passages::enter()
{
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_closed_) {
    inside_.push_back(std::this_thread::get_id());
  }
  return !is_closed_;
}

void Passages::leave()
{
  const std::lock_guard<std::mutex> lock(mutex_);
  inside_.erase(std::find(inside_.begin(), inside_.end(), std::this_thread::get_id()));
  left_.notify_all();
}

void Passages::close()
{
  std::unique_lock<std::mutex> lock(mutex_);
  is_closed_ = true;
  const auto own = std::this_thread::get_id();
  left_.wait(lock, [&] {return std::all_of(inside_.begin(), inside_.end(), [&](auto id) {return id == own;});});
}

MessageQueue::State::State(Environment environment, std::uint32_t size, Ready ready)
: environment_(std::move(environment)), ready_(std::move(ready)), size_(size)
{
}

void MessageQueue::State::add(std::shared_ptr<void> event, const std::string & frame, tf2::TimePoint stamp)
{
  HeldMessage message{0, std::move(event), withoutSlash(frame), stamp, {}, {stamp}, 0, {}};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    message.number = ++last_number_;
    message.targets = targets_;
    if (tolerance_ != tf2::Duration::zero()) {
      message.times.push_back(stamp + tolerance_);
    }
  }
  message.missing = message.targets.size() * message.times.size();
  if (message.missing == 0) {
    return;
  }
  if (message.frame.empty()) {
    drop(message, filter_failure_reasons::EmptyFrameID);
    return;
  }
  const HeldMessage copy = message;
  for (const auto & oldest : hold(std::move(message))) {
    cancel(oldest);
    drop(oldest, filter_failure_reasons::QueueFull);
  }
  request(copy);
}

/// Adds a message, and returns those for which there is no room.
MessageQueue::State::Held MessageQueue::State::hold(HeldMessage message)
{
  Held removed;
  const std::lock_guard<std::mutex> lock(mutex_);
  messages_.push_back(std::move(message));
  while (size_ != 0 && messages_.size() > size_) {
    removed.splice(removed.end(), messages_, messages_.begin());
  }
  return removed;
}

/// Requests the transforms of a message. The lock is not held: they may be known, and the message is passed on then.
void MessageQueue::State::request(const HeldMessage & message)
{
  const std::weak_ptr<State> weak = weak_from_this();
  const auto number = message.number;
  const auto ready = [weak, number](const TransformStampedFuture & future) {
      if (const auto state = weak.lock()) {
        state->answer(number, future);
      }
    };
  try {
    for (const auto & target : message.targets) {
      for (const auto & time : message.times) {
        keep(
          number, environment_.requests.waitForTransform(target, message.frame, time, environment_.timeout, ready));
      }
    }
  } catch (...) {
    // Nobody would pass the message on.
    for (const auto & held : take(number, false)) {
      cancel(held);
    }
    throw;
  }
}

/// Keeps the request of a message, or cancels it if the message has gone.
void MessageQueue::State::keep(std::uint64_t number, const TransformStampedFuture & future)
{
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(
      messages_.begin(), messages_.end(), [&](const auto & held) {return held.number == number;});
    if (found != messages_.end()) {
      found->requests.push_back(future);
      return;
    }
  }
  environment_.requests.cancel(future);
}

void MessageQueue::State::answer(std::uint64_t number, const TransformStampedFuture & future)
{
  const auto reason = reasonOf(future);
  const bool is_known = reason == filter_failure_reasons::Unknown;
  for (const auto & message : take(number, is_known)) {
    if (!is_known) {
      cancel(message);
      drop(message, reason);
    } else if (isTransformable(message)) {
      deliver(message);
    } else {
      drop(message, filter_failure_reasons::Unknown);
    }
  }
}

/// Returns the message if no transform of it is missing any more, or if one can't be known.
MessageQueue::State::Held MessageQueue::State::take(std::uint64_t number, bool is_known)
{
  Held taken;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(
    messages_.begin(), messages_.end(), [&](const auto & held) {return held.number == number;});
  if (found != messages_.end() && (!is_known || --found->missing == 0)) {
    taken.splice(taken.end(), messages_, found);
  }
  return taken;
}

void MessageQueue::State::cancel(const HeldMessage & message)
{
  for (const auto & request : message.requests) {
    environment_.requests.cancel(request);
  }
}

/// Whether all transforms are still known: one that came first may have gone since.
bool MessageQueue::State::isTransformable(const HeldMessage & message) const
{
  for (const auto & target : message.targets) {
    for (const auto & time : message.times) {
      if (!environment_.buffer.canTransform(target, message.frame, time, nullptr)) {
        return false;
      }
    }
  }
  return true;
}

void MessageQueue::State::deliver(const HeldMessage & message)
{
  if (const Passage passage{passages_}) {
    ready_(message.event);
  }
}

void MessageQueue::State::drop(const HeldMessage & message, FilterFailureReason reason)
{
  const Passage passage(passages_);
  if (!passage) {
    return;
  }
  log(message, reason);
  std::map<std::uint64_t, Failed> callbacks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    callbacks = failure_callbacks_;
  }
  for (const auto & [number, callback] : callbacks) {
    callback(message.event, reason);
  }
}

void MessageQueue::State::log(const HeldMessage & message, FilterFailureReason reason)
{
  std::uint64_t dropped;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++dropped_since_log_;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_log_) {
      return;
    }
    next_log_ = now + LOG_PERIOD;
    dropped = std::exchange(dropped_since_log_, 0);
  }
  RCLCPP_INFO(
    environment_.logging->get_logger(),
    "Message Filter dropping message: frame '%s' at time %.3f for reason '%s' (%llu since the last such line)",
    message.frame.c_str(), tf2::timeToSec(message.stamp), get_filter_failure_reason_string(reason).c_str(),
    static_cast<unsigned long long>(dropped));  // NOLINT(runtime/int)
}

void MessageQueue::State::clear()
{
  Held removed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    removed.swap(messages_);
  }
  for (const auto & message : removed) {
    cancel(message);
  }
}

void MessageQueue::State::close()
{
  passages_.close();
  clear();
}

void MessageQueue::State::setTargetFrames(const std::vector<std::string> & frames)
{
  std::vector<std::string> targets;
  std::transform(frames.begin(), frames.end(), std::back_inserter(targets), withoutSlash);
  const std::lock_guard<std::mutex> lock(mutex_);
  targets_.swap(targets);
}

std::vector<std::string> MessageQueue::State::targetFrames() const
{
  const std::lock_guard<std::mutex> lock(mutex_);
  return targets_;
}

void MessageQueue::State::setTolerance(tf2::Duration tolerance)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  tolerance_ = tolerance;
}

void MessageQueue::State::setSize(std::uint32_t size)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  size_ = size;
}

std::uint32_t MessageQueue::State::size() const
{
  const std::lock_guard<std::mutex> lock(mutex_);
  return size_;
}

std::uint64_t MessageQueue::State::addFailureCallback(Failed callback)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto number = ++last_number_;
  failure_callbacks_[number] = std::move(callback);
  return number;
}

void MessageQueue::State::removeFailureCallback(std::uint64_t number)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  failure_callbacks_.erase(number);
}

}  // namespace impl
}  // namespace tf2_ros
