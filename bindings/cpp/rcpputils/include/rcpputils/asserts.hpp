// Checks of arguments, states and results that throw exceptions.
#ifndef RCPPUTILS_ASSERTS_HPP_
#define RCPPUTILS_ASSERTS_HPP_

#include <exception>
#include <string>

#include "rcpputils/visibility_control.hpp"

namespace rcpputils
{

/// A result that is not what the program must produce.
class RCPPUTILS_PUBLIC_TYPE AssertionException : public std::exception
{
public:
  explicit AssertionException(const char * msg);
  ~AssertionException() override;
  const char * what() const noexcept override;

private:
  std::string message_;
};

/// An object that is not in the state that a call needs.
class RCPPUTILS_PUBLIC_TYPE IllegalStateException : public std::exception
{
public:
  explicit IllegalStateException(const char * msg);
  ~IllegalStateException() override;
  const char * what() const noexcept override;

private:
  std::string message_;
};

namespace detail
{
[[noreturn]] RCPPUTILS_PUBLIC void throw_invalid_argument(const char * msg);
[[noreturn]] RCPPUTILS_PUBLIC void throw_illegal_state(const char * msg);
[[noreturn]] RCPPUTILS_PUBLIC void throw_assertion(const char * msg);
}  // namespace detail

/// Checks an argument: throws std::invalid_argument if the condition is false.
inline void require_true(bool condition, const char * msg = "invalid argument passed")
{
  if (!condition) {
    detail::throw_invalid_argument(msg);
  }
}

/// Checks an argument: throws std::invalid_argument if the condition is false.
inline void require_true(bool condition, const std::string & msg) {require_true(condition, msg.c_str());}

/// Checks a state: throws IllegalStateException if the condition is false.
inline void check_true(bool condition, const char * msg = "invalid state")
{
  if (!condition) {
    detail::throw_illegal_state(msg);
  }
}

/// Checks a state: throws IllegalStateException if the condition is false.
inline void check_true(bool condition, const std::string & msg) {check_true(condition, msg.c_str());}

/// Checks a result: throws AssertionException if the condition is false. Does nothing with NDEBUG.
inline void assert_true([[maybe_unused]] bool condition, [[maybe_unused]] const char * msg = "assertion failed")
{
#ifndef NDEBUG
  if (!condition) {
    detail::throw_assertion(msg);
  }
#endif
}

/// Checks a result: throws AssertionException if the condition is false. Does nothing with NDEBUG.
inline void assert_true(bool condition, const std::string & msg) {assert_true(condition, msg.c_str());}

}  // namespace rcpputils

#endif
