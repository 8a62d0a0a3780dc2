// Results of functions of the C++ API, which throws nothing.
#ifndef SALTUS__RESULT_HPP_
#define SALTUS__RESULT_HPP_

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "saltus/saltus.h"

namespace saltus
{

/// Whether a function has done what it should, and if not, why.
class [[nodiscard]] Status
{
public:
  Status() = default;
  /// Takes the text of the last failure of this thread, if there is one.
  explicit Status(saltus_status_t code)
  : code_(code), text_(code == SALTUS_OK ? "" : saltus_error_message()) {}
  Status(saltus_status_t code, std::string text)
  : code_(code), text_(std::move(text)) {}

  explicit operator bool() const {return code_ == SALTUS_OK;}
  /// Returns SALTUS_OK, or the number of the failure.
  saltus_status_t code() const {return code_;}
  const std::string & text() const {return text_;}
  /// Ends the program with the text if there is a failure.
  void or_exit() const
  {
    if (code_ != SALTUS_OK) {
      std::fprintf(stderr, "%s\n", text_.c_str());
      std::exit(1);
    }
  }

private:
  saltus_status_t code_ = SALTUS_OK;
  std::string text_;
};

/// A value, or why there is none.
template<typename T>
class [[nodiscard]] Result
{
public:
  Result(T value)  // NOLINT: a function returns a value
  : value_(std::move(value)) {}
  Result(Status failure)  // NOLINT: a function returns a failure
  : failure_(std::move(failure)) {}

  explicit operator bool() const {return value_.has_value();}
  T & operator*() {return *value_;}
  const T & operator*() const {return *value_;}
  T * operator->() {return &*value_;}
  const T * operator->() const {return &*value_;}
  const Status & failure() const {return failure_;}
  /// Takes the value. Ends the program with the text of the failure if there is none.
  T or_exit() &&
  {
    failure_.or_exit();
    return *std::move(value_);
  }

private:
  std::optional<T> value_;
  Status failure_;
};

namespace detail
{

/// An object of libsaltus with its owner.
template<typename T, void (*destroy)(T *)>
class Handle
{
public:
  Handle() = default;
  explicit Handle(T * object)
  : object_(object) {}
  Handle(Handle && other) noexcept
  : object_(std::exchange(other.object_, nullptr)) {}
  Handle & operator=(Handle && other) noexcept
  {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {destroy(object_);}

  T * get() const {return object_;}
  T * release() {return std::exchange(object_, nullptr);}

private:
  T * object_ = nullptr;
};

/// Returns an object that `create` makes.
template<typename HandleT, typename Create>
Result<HandleT> created(Create create)
{
  decltype(HandleT().get()) object = nullptr;
  const Status status(create(&object));
  if (!status) {
    return status;
  }
  return HandleT(object);
}

/// Returns a function object on the heap, which libsaltus owns from now on.
template<typename Function>
void * owned(Function && function) {return new std::decay_t<Function>(std::forward<Function>(function));}

/// Deletes such a function object.
template<typename Function>
void drop(void * function) {delete static_cast<Function *>(function);}

}  // namespace detail
}  // namespace saltus

#endif  // SALTUS__RESULT_HPP_
