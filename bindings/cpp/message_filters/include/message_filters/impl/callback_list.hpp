// The callbacks of a filter.
#ifndef MESSAGE_FILTERS_IMPL_CALLBACK_LIST_HPP_
#define MESSAGE_FILTERS_IMPL_CALLBACK_LIST_HPP_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "message_filters/connection.hpp"
#include "message_filters/impl/turn.hpp"
#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// A callback that takes events by their addresses.
class MESSAGE_FILTERS_PUBLIC CallbackBase
{
public:
  CallbackBase() = default;
  virtual ~CallbackBase();
  CallbackBase(const CallbackBase &) = delete;
  CallbackBase & operator=(const CallbackBase &) = delete;

  /// Calls it. `events` are the addresses of events, one of each message.
  virtual void call(const void * const * events) = 0;

private:
  friend class CallbackList;
  friend class Delivery;

  std::atomic<bool> is_connected_{true};
};

/// The callbacks of a filter. One thread at a time calls them.
class MESSAGE_FILTERS_PUBLIC CallbackList : public std::enable_shared_from_this<CallbackList>
{
public:
  /// Adds a callback. A delivery that runs does not call it.
  Connection add(const std::shared_ptr<CallbackBase> & callback);

  /// Removes a callback. Waits until a delivery that runs on another thread has ended.
  void remove(const std::shared_ptr<CallbackBase> & callback);

  /// Removes all callbacks, and waits as `remove` does.
  void clear();

private:
  friend class Delivery;
  using Callbacks = std::vector<std::shared_ptr<CallbackBase>>;

  std::shared_ptr<const Callbacks> callbacks() const;

  mutable std::mutex mutex_;
  /// Never changed, but replaced.
  std::shared_ptr<const Callbacks> callbacks_ = std::make_shared<Callbacks>();
  Turn turn_;
};

/// A delivery of events to the callbacks of a list. The thread has the turn until its end.
class MESSAGE_FILTERS_PUBLIC Delivery
{
public:
  explicit Delivery(std::shared_ptr<CallbackList> list);
  ~Delivery();
  Delivery(const Delivery &) = delete;
  Delivery & operator=(const Delivery &) = delete;

  /// Whether there are several callbacks.
  bool isShared() const
  {
    return callbacks_->size() > 1;
  }

  /// Calls the callbacks that have not been removed meanwhile.
  void call(const void * const * events) const;

private:
  std::shared_ptr<CallbackList> list_;
  std::shared_ptr<const CallbackList::Callbacks> callbacks_;
};

}  // namespace impl
}  // namespace message_filters

#endif
