// Arithmetic that stops at the limits of its type.
#ifndef MESSAGE_FILTERS_IMPL_SATURATING_HPP_
#define MESSAGE_FILTERS_IMPL_SATURATING_HPP_

#include <cstdint>
#include <limits>

namespace message_filters
{
namespace impl
{

/// Returns `a + b`, or the limit that it would exceed.
inline std::int64_t add(std::int64_t a, std::int64_t b)
{
  std::int64_t sum;
  using Limits = std::numeric_limits<std::int64_t>;
  return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? Limits::min() : Limits::max();
}

/// Returns `a - b`, or the limit that it would exceed.
inline std::int64_t subtract(std::int64_t a, std::int64_t b)
{
  std::int64_t difference;
  using Limits = std::numeric_limits<std::int64_t>;
  return !__builtin_sub_overflow(a, b, &difference) ? difference : b < 0 ? Limits::max() : Limits::min();
}

/// Returns the number without its fraction, or the limit that it would exceed; 0 if it is not a number.
inline std::int64_t truncate(double number)
{
  using Limits = std::numeric_limits<std::int64_t>;
  // 2^63 is the first number that does not fit.
  constexpr double end = 9223372036854775808.0;
  if (number >= end) {
    return Limits::max();
  }
  return number >= -end ? static_cast<std::int64_t>(number) : number < -end ? Limits::min() : 0;
}

}  // namespace impl
}  // namespace message_filters

#endif
