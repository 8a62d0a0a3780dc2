#include "message_filters/impl/callback_list.hpp"

#include <algorithm>
#include <utility>

namespace message_filters
{
namespace impl
{

CallbackBase::~CallbackBase() = default;

std::shared_ptr<const CallbackList::Callbacks> CallbackList::callbacks() const
{
  std::lock_guard<std::mutex> lock(mutex_);
  return callbacks_;
}

Connection CallbackList::add(const std::shared_ptr<CallbackBase> & callback)
{
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto callbacks = std::make_shared<Callbacks>(*callbacks_);
    callbacks->push_back(callback);
    callbacks_ = std::move(callbacks);
  }
  // A connection keeps neither the filter nor what the callback has captured.
  return Connection(
    [list = weak_from_this(), weak = std::weak_ptr<CallbackBase>(callback)] {
      const auto filter = list.lock();
      const auto registered = weak.lock();
      if (filter && registered) {
        filter->remove(registered);
      }
    });
}

void CallbackList::remove(const std::shared_ptr<CallbackBase> & callback)
{
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto callbacks = std::make_shared<Callbacks>(*callbacks_);
    callbacks->erase(std::remove(callbacks->begin(), callbacks->end(), callback), callbacks->end());
    callbacks_ = std::move(callbacks);
    callback->is_connected_ = false;
  }
  std::lock_guard<Turn> wait(turn_);
}

void CallbackList::clear()
{
  // Destroyed without the lock: what a callback has captured may use the filter.
  std::shared_ptr<const Callbacks> removed = std::make_shared<Callbacks>();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    callbacks_.swap(removed);
    for (const auto & callback : *removed) {
      callback->is_connected_ = false;
    }
  }
  std::lock_guard<Turn> wait(turn_);
}

Delivery::Delivery(std::shared_ptr<CallbackList> list)
: list_(std::move(list))
{
  list_->turn_.lock();
  callbacks_ = list_->callbacks();
}

Delivery::~Delivery()
{
  list_->turn_.unlock();
}

void Delivery::call(const void * const * events) const
{
  for (const auto & callback : *callbacks_) {
    if (callback->is_connected_) {
      callback->call(events);
    }
  }
}

}  // namespace impl
}  // namespace message_filters
