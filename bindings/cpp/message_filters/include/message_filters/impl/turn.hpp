// A lock that is held while callbacks run.
#ifndef MESSAGE_FILTERS_IMPL_TURN_HPP_
#define MESSAGE_FILTERS_IMPL_TURN_HPP_

#include <atomic>

#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// A lock that is held while the callbacks of a filter run, so that one thread at a time calls them.
///
/// It never causes a deadlock with other turns: a thread may lock it again, and a thread that its owner waits for may
/// lock it too. The owner is then in the middle of a callback, as in a recursive call. Who locks a turn shares the
/// ownership of the object that contains it, because `unlock` uses it after another thread may have locked it.
class MESSAGE_FILTERS_PUBLIC Turn
{
public:
  Turn() = default;
  Turn(const Turn &) = delete;
  Turn & operator=(const Turn &) = delete;

  void lock();
  void unlock();

  /// Whether this lock is part of another one. Call it only with the turn locked.
  bool isNested() const
  {
    return depth_ > 1;
  }

private:
  struct Thread;
  struct Waiting;

  void waitFor(Thread & thread);
  bool isBlockedBy(const Thread & thread) const;

  std::atomic<const Thread *> owner_{nullptr};
  std::atomic<int> waiting_{0};
  /// Only the owner uses it, or a thread that it waits for.
  int depth_ = 0;
};

}  // namespace impl
}  // namespace message_filters

#endif
