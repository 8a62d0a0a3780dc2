#include "requests.hpp"

#include <exception>
#include <utility>

#include "buffer_core_impl.hpp"

namespace tf2
{

namespace
{

constexpr TransformableRequestHandle AVAILABLE_NOW = 0;
constexpr TransformableRequestHandle NEVER_AVAILABLE = ~TransformableRequestHandle{0};

// An exception must not go through libsaltus: it waits here until setTransform has returned from there.
thread_local std::exception_ptr thrown;

}  // namespace

/// What libsaltus gives to a callback. It does not keep the requests, because these keep it.
struct Requests::Context
{
  std::weak_ptr<Requests> requests;
  TransformableRequestHandle handle;
};

TransformableRequestHandle Requests::add(const saltus_tf_buffer_t * buffer, Question question)
{
  const std::string target = question.target;
  const std::string source = question.source;
  const auto time = toNanoseconds(question.time);
  TransformableRequestHandle handle;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    handle = ++last_handle_;
    entries_[handle].question = std::move(question);
  }
  saltus_tf_request_t * request = nullptr;
  const auto status = saltus_tf_request_create(
    buffer, target.c_str(), source.c_str(), time, &Requests::onAnswer, new Context{weak_from_this(), handle},
    &Requests::onDrop, &request);
  if (status != SALTUS_OK) {
    cancel(handle);
    throwUnlessOk(status);
  }
  return finish(handle, Handle(request));
}

// The request is destroyed after the mutex was released: that may wait for its callback, which locks the mutex.
TransformableRequestHandle Requests::finish(TransformableRequestHandle handle, Handle request)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(handle);
  if (found == entries_.end()) {
    return handle;
  }
  if (!found->second.is_answered) {
    found->second.request = std::move(request);
    return handle;
  }
  const auto result = found->second.result;
  entries_.erase(found);
  return result == TransformAvailable ? AVAILABLE_NOW : NEVER_AVAILABLE;
}

void Requests::cancel(TransformableRequestHandle handle)
{
  Entry cancelled;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(handle);
  if (found != entries_.end()) {
    cancelled = std::move(found->second);
    entries_.erase(found);
  }
}

void Requests::clear()
{
  std::unordered_map<TransformableRequestHandle, Entry> cleared;
  const std::lock_guard<std::mutex> lock(mutex_);
  cleared.swap(entries_);
}

void Requests::rethrow()
{
  if (thrown) {
    std::rethrow_exception(std::exchange(thrown, nullptr));
  }
}

void Requests::onAnswer(void * context, saltus_status_t status)
{
  const auto & asked = *static_cast<Context *>(context);
  const auto requests = asked.requests.lock();
  if (!requests) {
    return;
  }
  try {
    requests->answer(asked.handle, status == SALTUS_OK ? TransformAvailable : TransformFailure);
  } catch (...) {
    thrown = std::current_exception();
  }
}

void Requests::onDrop(void * context)
{
  delete static_cast<Context *>(context);
}

void Requests::answer(TransformableRequestHandle handle, TransformableResult result)
{
  Entry answered;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(handle);
    if (found == entries_.end()) {
      return;
    }
    if (!found->second.request) {
      found->second.is_answered = true;
      found->second.result = result;
      return;
    }
    answered = std::move(found->second);
    entries_.erase(found);
  }
  const auto & question = answered.question;
  question.callback(handle, question.target, question.source, question.time, result);
}

}  // namespace tf2
