// Code that runs at the end of a scope.
#ifndef RCPPUTILS_SCOPE_EXIT_HPP_
#define RCPPUTILS_SCOPE_EXIT_HPP_

#include <type_traits>
#include <utility>

namespace rcpputils
{

/// Calls a function when it is destroyed, unless it was cancelled.
template<typename CallableT>
class scope_exit final
{
public:
  explicit scope_exit(CallableT && callable)
  : callable_(std::move(callable))
  {
  }

  scope_exit(const scope_exit &) = delete;
  scope_exit(scope_exit &&) = delete;
  scope_exit & operator=(const scope_exit &) = delete;
  scope_exit & operator=(scope_exit &&) = delete;

  ~scope_exit()
  {
    if (!is_cancelled_) {
      callable_();
    }
  }

  /// The function is not called.
  void cancel() {is_cancelled_ = true;}

private:
  CallableT callable_;
  bool is_cancelled_ = false;
};

/// Returns an object that calls the function at the end of its scope.
template<typename CallableT>
[[nodiscard]] scope_exit<std::decay_t<CallableT>> make_scope_exit(CallableT && callable)
{
  return scope_exit<std::decay_t<CallableT>>(std::decay_t<CallableT>(std::forward<CallableT>(callable)));
}

}  // namespace rcpputils

#define RCPPUTILS_SCOPE_EXIT_JOIN_IMPL(a, b) a ## b
#define RCPPUTILS_SCOPE_EXIT_JOIN(a, b) RCPPUTILS_SCOPE_EXIT_JOIN_IMPL(a, b)

/// Runs the code at the end of the scope.
#define RCPPUTILS_SCOPE_EXIT(...) \
  const auto RCPPUTILS_SCOPE_EXIT_JOIN(rcpputils_scope_exit_, __LINE__) = \
    ::rcpputils::make_scope_exit([&]() {__VA_ARGS__;})

#endif
