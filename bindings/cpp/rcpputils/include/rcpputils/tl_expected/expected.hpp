// tl::expected: a value or an error, with the names of std::expected of C++23.
//
// If another header has defined tl::expected (TL_EXPECTED_HPP), this one is empty.
#ifndef RCPPUTILS_TL_EXPECTED_EXPECTED_HPP_
#define RCPPUTILS_TL_EXPECTED_EXPECTED_HPP_

#ifndef TL_EXPECTED_HPP
#define TL_EXPECTED_HPP

#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace tl
{

template<class T, class E>
class expected;

using in_place_t = std::in_place_t;
constexpr in_place_t in_place{};

/// Tells a constructor to make an error from its arguments.
struct unexpect_t
{
  explicit unexpect_t() = default;
};
constexpr unexpect_t unexpect{};

/// An error on its way into an expected.
template<class E>
class unexpected
{
public:
  unexpected() = delete;
  constexpr explicit unexpected(const E & error)
  : error_(error)
  {
  }
  constexpr explicit unexpected(E && error)
  : error_(std::move(error))
  {
  }

  constexpr const E & value() const & {return error_;}
  constexpr E & value() & {return error_;}
  constexpr E && value() && {return std::move(error_);}

private:
  E error_;
};

template<class E>
unexpected(E)->unexpected<E>;

template<class E>
constexpr bool operator==(const unexpected<E> & a, const unexpected<E> & b) {return a.value() == b.value();}

template<class E>
constexpr bool operator!=(const unexpected<E> & a, const unexpected<E> & b) {return !(a == b);}

/// Returns an error for an expected.
template<class E>
constexpr unexpected<std::decay_t<E>> make_unexpected(E && error)
{
  return unexpected<std::decay_t<E>>(std::forward<E>(error));
}

/// The value of an expected was asked for, but it has an error.
template<class E>
class bad_expected_access : public std::exception
{
public:
  explicit bad_expected_access(E error)
  : error_(std::move(error))
  {
  }

  const char * what() const noexcept override {return "the expected has an error, no value";}
  const E & error() const & {return error_;}
  E & error() & {return error_;}
  E && error() && {return std::move(error_);}

private:
  E error_;
};

namespace detail
{

template<class T>
struct is_expected : std::false_type
{
};

template<class T, class E>
struct is_expected<expected<T, E>>: std::true_type
{
};

template<class T>
struct is_unexpected : std::false_type
{
};

template<class E>
struct is_unexpected<unexpected<E>>: std::true_type
{
};

template<class T>
using bare = std::remove_cv_t<std::remove_reference_t<T>>;

// True if a U makes the value of an expected<T, E>.
template<class T, class U>
constexpr bool makes_value =
  std::is_constructible_v<T, U &&> && !std::is_same_v<bare<U>, in_place_t> &&
  !std::is_same_v<bare<U>, unexpect_t> && !is_unexpected<bare<U>>::value &&
  (!is_expected<bare<U>>::value || is_expected<bare<T>>::value);

// Calls a function and returns its result as an expected.
template<class E, class F, class... Args>
auto call(F && function, Args && ... args)
{
  using Result = bare<std::invoke_result_t<F, Args...>>;
  if constexpr (std::is_void_v<Result>) {
    std::invoke(std::forward<F>(function), std::forward<Args>(args)...);
    return expected<void, E>();
  } else {
    return expected<Result, E>(std::invoke(std::forward<F>(function), std::forward<Args>(args)...));
  }
}

// Passes the error to a function; its result replaces the expected, unless it has none.
template<class Self, class F>
bare<Self> or_else(Self && self, F && function)
{
  if (self.has_value()) {
    return std::forward<Self>(self);
  }
  if constexpr (std::is_void_v<std::invoke_result_t<F, decltype(std::forward<Self>(self).error())>>) {
    std::invoke(std::forward<F>(function), std::forward<Self>(self).error());
    return std::forward<Self>(self);
  } else {
    return std::invoke(std::forward<F>(function), std::forward<Self>(self).error());
  }
}

// The functions that take functions, for a value and for void.
template<class T, class E>
class chained
{
  using Self = expected<T, E>;

public:
  /// Returns what the function makes of the value, an expected, or the error.
  template<class F>
  auto and_then(F && function) const & {return then(self(), std::forward<F>(function));}
  template<class F>
  auto and_then(F && function) & {return then(self(), std::forward<F>(function));}
  template<class F>
  auto and_then(F && function) && {return then(std::move(self()), std::forward<F>(function));}

  /// Returns an expected with what the function makes of the value, or the error.
  template<class F>
  auto map(F && function) const & {return mapped(self(), std::forward<F>(function));}
  template<class F>
  auto map(F && function) & {return mapped(self(), std::forward<F>(function));}
  template<class F>
  auto map(F && function) && {return mapped(std::move(self()), std::forward<F>(function));}

  /// As map.
  template<class F>
  auto transform(F && function) const & {return map(std::forward<F>(function));}
  template<class F>
  auto transform(F && function) && {return std::move(*this).map(std::forward<F>(function));}

  /// Returns an expected with the value, or with what the function makes of the error.
  template<class F>
  auto map_error(F && function) const & {return error_mapped(self(), std::forward<F>(function));}
  template<class F>
  auto map_error(F && function) && {return error_mapped(std::move(self()), std::forward<F>(function));}

  /// As map_error.
  template<class F>
  auto transform_error(F && function) const & {return map_error(std::forward<F>(function));}
  template<class F>
  auto transform_error(F && function) && {return std::move(*this).map_error(std::forward<F>(function));}

  /// Returns the value, or what the function makes of the error: an expected, or nothing to keep the error.
  template<class F>
  Self or_else(F && function) const & {return detail::or_else(self(), std::forward<F>(function));}
  template<class F>
  Self or_else(F && function) && {return detail::or_else(std::move(self()), std::forward<F>(function));}

private:
  Self & self() {return static_cast<Self &>(*this);}
  const Self & self() const {return static_cast<const Self &>(*this);}

  template<class This, class F>
  static auto then(This && it, F && function)
  {
    if constexpr (std::is_void_v<T>) {
      using Result = bare<std::invoke_result_t<F>>;
      return it.has_value() ? std::invoke(std::forward<F>(function)) :
             Result(unexpect, std::forward<This>(it).error());
    } else {
      using Result = bare<std::invoke_result_t<F, decltype(*std::forward<This>(it))>>;
      return it.has_value() ? std::invoke(std::forward<F>(function), *std::forward<This>(it)) :
             Result(unexpect, std::forward<This>(it).error());
    }
  }

  template<class This, class F>
  static auto mapped(This && it, F && function)
  {
    if constexpr (std::is_void_v<T>) {
      using Result = decltype(call<E>(std::forward<F>(function)));
      return it.has_value() ? call<E>(std::forward<F>(function)) :
             Result(unexpect, std::forward<This>(it).error());
    } else {
      using Result = decltype(call<E>(std::forward<F>(function), *std::forward<This>(it)));
      return it.has_value() ? call<E>(std::forward<F>(function), *std::forward<This>(it)) :
             Result(unexpect, std::forward<This>(it).error());
    }
  }

  template<class This, class F>
  static auto error_mapped(This && it, F && function)
  {
    using Result = expected<T, bare<std::invoke_result_t<F, decltype(std::forward<This>(it).error())>>>;
    if (!it.has_value()) {
      return Result(unexpect, std::invoke(std::forward<F>(function), std::forward<This>(it).error()));
    }
    if constexpr (std::is_void_v<T>) {
      return Result();
    } else {
      return Result(in_place, *std::forward<This>(it));
    }
  }
};

}  // namespace detail

/// A value of type T or an error of type E.
template<class T, class E>
class expected : public detail::chained<T, E>
{
public:
  using value_type = T;
  using error_type = E;
  using unexpected_type = unexpected<E>;

  /// Makes the default value.
  template<class U = T, std::enable_if_t<std::is_default_constructible_v<U>, int> = 0>
  expected()
  : content_(std::in_place_index<0>)
  {
  }

  /// Makes a value.
  template<class U = T, std::enable_if_t<detail::makes_value<T, U>&& std::is_convertible_v<U &&, T>, int> = 0>
  expected(U && value)  // NOLINT: implicit as in std::expected.
  : content_(std::in_place_index<0>, std::forward<U>(value))
  {
  }

  template<
    class U = T, std::enable_if_t<detail::makes_value<T, U>&& !std::is_convertible_v<U &&, T>, int> = 0,
    class = void>
  explicit expected(U && value)
  : content_(std::in_place_index<0>, std::forward<U>(value))
  {
  }

  /// Makes an error.
  template<class G, std::enable_if_t<std::is_constructible_v<E, const G &>, int> = 0>
  expected(const unexpected<G> & error)  // NOLINT: implicit as in std::expected.
  : content_(std::in_place_index<1>, error.value())
  {
  }

  template<class G, std::enable_if_t<std::is_constructible_v<E, G &&>, int> = 0>
  expected(unexpected<G> && error)  // NOLINT: implicit as in std::expected.
  : content_(std::in_place_index<1>, std::move(error).value())
  {
  }

  /// Makes a value from arguments.
  template<class... Args>
  explicit expected(in_place_t, Args && ... args)
  : content_(std::in_place_index<0>, std::forward<Args>(args)...)
  {
  }

  /// Makes an error from arguments.
  template<class... Args>
  explicit expected(unexpect_t, Args && ... args)
  : content_(std::in_place_index<1>, std::forward<Args>(args)...)
  {
  }

  bool has_value() const noexcept {return content_.index() == 0;}
  explicit operator bool() const noexcept {return has_value();}

  /// The value, which must exist.
  T & operator*() & {return *std::get_if<0>(&content_);}
  const T & operator*() const & {return *std::get_if<0>(&content_);}
  T && operator*() && {return std::move(*std::get_if<0>(&content_));}
  T * operator->() {return std::get_if<0>(&content_);}
  const T * operator->() const {return std::get_if<0>(&content_);}

  /// The value. Throws bad_expected_access<E> if there is none.
  T & value() &
  {
    check();
    return **this;
  }
  const T & value() const &
  {
    check();
    return **this;
  }
  T && value() &&
  {
    check();
    return *std::move(*this);
  }

  /// The error, which must exist.
  E & error() & {return *std::get_if<1>(&content_);}
  const E & error() const & {return *std::get_if<1>(&content_);}
  E && error() && {return std::move(*std::get_if<1>(&content_));}

  /// The value, or another one.
  template<class U>
  T value_or(U && other) const &
  {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  template<class U>
  T value_or(U && other) &&
  {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(other));
  }

  /// Makes a new value.
  template<class... Args>
  T & emplace(Args && ... args) {return content_.template emplace<0>(std::forward<Args>(args)...);}

  void swap(expected & other) {content_.swap(other.content_);}

private:
  void check() const
  {
    if (!has_value()) {
      throw bad_expected_access<E>(error());
    }
  }

  std::variant<T, E> content_;
};

/// Nothing or an error of type E.
template<class E>
class expected<void, E>: public detail::chained<void, E>
{
public:
  using value_type = void;
  using error_type = E;
  using unexpected_type = unexpected<E>;

  expected() = default;
  explicit expected(in_place_t) {}

  /// Makes an error.
  template<class G, std::enable_if_t<std::is_constructible_v<E, const G &>, int> = 0>
  expected(const unexpected<G> & error)  // NOLINT: implicit as in std::expected.
  : error_(std::in_place, error.value())
  {
  }

  template<class G, std::enable_if_t<std::is_constructible_v<E, G &&>, int> = 0>
  expected(unexpected<G> && error)  // NOLINT: implicit as in std::expected.
  : error_(std::in_place, std::move(error).value())
  {
  }

  template<class... Args>
  explicit expected(unexpect_t, Args && ... args)
  : error_(std::in_place, std::forward<Args>(args)...)
  {
  }

  bool has_value() const noexcept {return !error_;}
  explicit operator bool() const noexcept {return has_value();}
  void operator*() const {}

  /// Throws bad_expected_access<E> if there is an error.
  void value() const
  {
    if (error_) {
      throw bad_expected_access<E>(*error_);
    }
  }

  /// The error, which must exist.
  E & error() & {return *error_;}
  const E & error() const & {return *error_;}
  E && error() && {return *std::move(error_);}

  void emplace() {error_.reset();}
  void swap(expected & other) {error_.swap(other.error_);}

private:
  std::optional<E> error_;
};

template<class T, class E, class U, class G>
bool operator==(const expected<T, E> & a, const expected<U, G> & b)
{
  if (a.has_value() != b.has_value()) {
    return false;
  }
  if constexpr (std::is_void_v<T>) {
    return a.has_value() || a.error() == b.error();
  } else {
    return a.has_value() ? *a == *b : a.error() == b.error();
  }
}

template<class T, class E, class U, class G>
bool operator!=(const expected<T, E> & a, const expected<U, G> & b) {return !(a == b);}

template<
  class T, class E, class U,
  std::enable_if_t<!detail::is_expected<U>::value && !detail::is_unexpected<U>::value, int> = 0>
bool operator==(const expected<T, E> & a, const U & value) {return a.has_value() && *a == value;}

template<
  class T, class E, class U,
  std::enable_if_t<!detail::is_expected<U>::value && !detail::is_unexpected<U>::value, int> = 0>
bool operator!=(const expected<T, E> & a, const U & value) {return !(a == value);}

template<class T, class E, class G>
bool operator==(const expected<T, E> & a, const unexpected<G> & error)
{
  return !a.has_value() && a.error() == error.value();
}

template<class T, class E, class G>
bool operator!=(const expected<T, E> & a, const unexpected<G> & error) {return !(a == error);}

}  // namespace tl

#endif
#endif
