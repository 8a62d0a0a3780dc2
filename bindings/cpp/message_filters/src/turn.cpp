#include "message_filters/impl/turn.hpp"

#include <condition_variable>
#include <mutex>

namespace message_filters
{
namespace impl
{

// The threads that wait for turns. One mutex for all turns: it is only used when a thread has to wait.
struct Turn::Waiting
{
  std::mutex mutex;
  std::condition_variable unlocked;

  // Never destroyed: threads may run until the process ends.
  static Waiting & instance()
  {
    static Waiting * const instance = new Waiting;
    return *instance;
  }
};

struct Turn::Thread
{
  // Guarded by the mutex of Waiting.
  const Turn * waits_for = nullptr;

  Thread() = default;
  Thread(const Thread &) = delete;
  Thread & operator=(const Thread &) = delete;

  ~Thread()
  {
    // Another thread may look at this one.
    std::lock_guard<std::mutex> lock(Waiting::instance().mutex);
  }

  static Thread & current()
  {
    static thread_local Thread thread;
    return thread;
  }
};

void Turn::lock()
{
  Thread & thread = Thread::current();
  const Thread * expected = nullptr;
  if (owner_.load(std::memory_order_relaxed) != &thread && !owner_.compare_exchange_strong(expected, &thread)) {
    waitFor(thread);
  }
  ++depth_;
}

// Returns when this thread is the owner, or when the owner waits for it.
void Turn::waitFor(Thread & thread)
{
  Waiting & waiting = Waiting::instance();
  std::unique_lock<std::mutex> lock(waiting.mutex);
  waiting_.fetch_add(1);
  thread.waits_for = this;
  const Thread * expected = nullptr;
  while (!owner_.compare_exchange_strong(expected, &thread) && !isBlockedBy(thread)) {
    waiting.unlocked.wait(lock);
    expected = nullptr;
  }
  thread.waits_for = nullptr;
  waiting_.fetch_sub(1);
}

// Whether the owner waits for a turn of a thread, perhaps by way of other threads. Those stay as they are: they wait.
bool Turn::isBlockedBy(const Thread & thread) const
{
  const Thread * owner = owner_.load();
  while (owner && owner != &thread) {
    owner = owner->waits_for ? owner->waits_for->owner_.load() : nullptr;
  }
  return owner == &thread;
}

void Turn::unlock()
{
  if (--depth_ > 0) {
    return;
  }
  owner_.store(nullptr);
  if (waiting_.load() > 0) {
    Waiting & waiting = Waiting::instance();
    // The waiting thread has seen the new owner, or it waits already.
    std::lock_guard<std::mutex> lock(waiting.mutex);
    waiting.unlocked.notify_all();
  }
}

}  // namespace impl
}  // namespace message_filters
