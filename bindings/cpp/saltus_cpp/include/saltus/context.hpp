// Contexts, nodes, timers and executors.
#ifndef SALTUS__CONTEXT_HPP_
#define SALTUS__CONTEXT_HPP_

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "saltus/result.hpp"

namespace saltus
{

class Node;

/// This process as a participant of the graph of a domain. Ctrl-C and SIGTERM shut it down.
class Context
{
public:
  /// Creates a context with the arguments of the program, of which those from --ros-args on are for Saltus.
  static Result<Context> create(int argc = 0, const char * const * argv = nullptr)
  {
    saltus_context_options_t options;
    saltus_context_options_init(&options, sizeof options);
    options.argument_count = static_cast<size_t>(argc);
    options.arguments = argv;
    auto handle = detail::created<Handle>(
      [&](saltus_context_t ** place) {return saltus_context_create(&options, place);});
    return handle ? Result<Context>(Context(std::move(*handle))) : Result<Context>(handle.failure());
  }

  /// Creates a node.
  Result<Node> node(const std::string & name, const std::string & name_space = "") const;
  /// Makes every executor return soon.
  void shut_down() const {saltus_context_shut_down(handle_.get());}
  bool is_ok() const {return saltus_context_is_ok(handle_.get());}
  /// Waits for a time, or until the context is shut down. Returns whether it is not.
  bool sleep(std::chrono::nanoseconds time) const {return saltus_context_sleep(handle_.get(), time.count());}

  saltus_context_t * get() const {return handle_.get();}

private:
  using Handle = detail::Handle<saltus_context_t, &saltus_context_destroy>;

  explicit Context(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

/// Calls a function periodically. It ends when it is destroyed.
class Timer
{
public:
  void cancel() const {saltus_timer_cancel(handle_.get());}
  void reset() const {saltus_timer_reset(handle_.get());}

private:
  friend class Node;
  using Handle = detail::Handle<saltus_timer_t, &saltus_timer_destroy>;

  explicit Timer(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

/// Whether callbacks of a group may run at the same time.
enum class GroupKind : uint8_t
{
  exclusive = SALTUS_GROUP_MUTUALLY_EXCLUSIVE,
  reentrant = SALTUS_GROUP_REENTRANT,
};

/// Callbacks of a node that run one after the other, or at the same time. One that was not made by a node is the default group of
/// the node, which is exclusive.
class Group
{
public:
  Group() = default;
  saltus_group_t * get() const {return handle_.get();}

private:
  friend class Node;
  using Handle = detail::Handle<saltus_group_t, &saltus_group_destroy>;

  explicit Group(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

/// A node. It stays in the graph as long as what was made from it.
class Node
{
public:
  /// Creates a callback group. It lasts as long as this object or a callback in it.
  Result<Group> group(GroupKind kind) const
  {
    auto handle = detail::created<Group::Handle>(
      [&](saltus_group_t ** place) {
        return saltus_group_create(handle_.get(), static_cast<uint8_t>(kind), true, place);
      });
    return handle ? Result<Group>(Group(std::move(*handle))) : Result<Group>(handle.failure());
  }

  /// Starts a timer. An executor calls `callback` once per period of the steady clock.
  template<typename Callback>
  Result<Timer> timer(std::chrono::nanoseconds period, Callback && callback, const Group & group = Group()) const
  {
    using Function = std::decay_t<Callback>;
    const auto call = [](void * function) noexcept -> saltus_next_t {
        (*static_cast<Function *>(function))();
        return SALTUS_CONTINUE;
      };
    auto handle = detail::created<Timer::Handle>(
      [&](saltus_timer_t ** place) {
        return saltus_timer_create(
          handle_.get(), period.count(), nullptr, group.get(), call, detail::owned(std::forward<Callback>(callback)),
          &detail::drop<Function>, place);
      });
    return handle ? Result<Timer>(Timer(std::move(*handle))) : Result<Timer>(handle.failure());
  }

  /// Returns the namespace and the name.
  std::string full_name() const {return saltus_node_full_name(handle_.get());}
  saltus_node_t * get() const {return handle_.get();}

  using Handle = detail::Handle<saltus_node_t, &saltus_node_destroy>;

  /// Takes a node over that functions of C have created.
  explicit Node(Handle handle)
  : handle_(std::move(handle)) {}

private:
  Handle handle_;
};

namespace detail
{

/// Returns a node that `create` makes with options.
template<typename Create>
Result<Node> new_node(const std::string & name, const std::string & name_space, Create create)
{
  saltus_node_options_t options;
  saltus_node_options_init(&options, sizeof options);
  options.name = name.c_str();
  options.name_space = name_space.c_str();
  auto handle = created<Node::Handle>([&](saltus_node_t ** place) {return create(options, place);});
  return handle ? Result<Node>(Node(std::move(*handle))) : Result<Node>(handle.failure());
}

}  // namespace detail

inline Result<Node> Context::node(const std::string & name, const std::string & name_space) const
{
  return detail::new_node(
    name, name_space, [this](const saltus_node_options_t & options, saltus_node_t ** place) {
      return saltus_node_create(get(), &options, place);
    });
}

/// How an executor waits.
enum class Wait : uint8_t
{
  /// In the kernel.
  block = SALTUS_WAIT_BLOCK,
  /// In a short loop while messages come often, otherwise in the kernel.
  adaptive = SALTUS_WAIT_ADAPTIVE,
  /// In a loop, which needs a whole processor.
  spin = SALTUS_WAIT_SPIN,
};

/// Runs the callbacks of nodes. A callback must not throw: the program ends if one does.
class Executor
{
public:
  /// `threads` is how many threads run callbacks, the one that spins included. 0 is one for each processor.
  static Result<Executor> create(const Context & context, size_t threads = 1, Wait wait = Wait::adaptive)
  {
    saltus_executor_options_t options;
    saltus_executor_options_init(&options, sizeof options);
    options.threads = threads;
    options.strategy = static_cast<uint8_t>(wait);
    auto handle = detail::created<Handle>(
      [&](saltus_executor_t ** place) {return saltus_executor_create(context.get(), &options, place);});
    return handle ? Result<Executor>(Executor(std::move(*handle))) : Result<Executor>(handle.failure());
  }

  Status add_node(const Node & node) const {return Status(saltus_executor_add_node(handle_.get(), node.get()));}
  Status remove_node(const Node & node) const {return Status(saltus_executor_remove_node(handle_.get(), node.get()));}
  /// Runs callbacks until the context is shut down, or cancel() is called.
  Status spin() const {return Status(saltus_executor_spin(handle_.get()));}
  /// Waits until callbacks can run, and runs each of them once. Returns whether one has run. A negative timeout is none.
  Result<bool> spin_once(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) const
  {
    bool has_run = false;
    const Status status(saltus_executor_spin_once(handle_.get(), timeout.count(), &has_run));
    return status ? Result<bool>(has_run) : Result<bool>(status);
  }
  /// Makes a spinning thread return soon.
  void cancel() const {saltus_executor_cancel(handle_.get());}
  saltus_executor_t * get() const {return handle_.get();}

private:
  using Handle = detail::Handle<saltus_executor_t, &saltus_executor_destroy>;

  explicit Executor(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace saltus

#endif  // SALTUS__CONTEXT_HPP_
