// Conversions of durations.
#ifndef RCPPUTILS_TIME_HPP_
#define RCPPUTILS_TIME_HPP_

#include <chrono>
#include <ratio>
#include <stdexcept>

namespace rcpputils
{

/// Returns a duration in nanoseconds, rounded towards zero. Throws std::invalid_argument if it does not fit.
template<typename DurationRepT, typename DurationT>
std::chrono::nanoseconds convert_to_nanoseconds(const std::chrono::duration<DurationRepT, DurationT> & time)
{
  // 2^63 is the first number that does not fit, and exact as a floating point number.
  constexpr long double limit = 9223372036854775808.0L;
  const long double count = std::chrono::duration<long double, std::nano>(time).count();
  if (!(count >= -limit && count < limit)) {
    throw std::invalid_argument("the duration does not fit into 64 bits of nanoseconds");
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
}

}  // namespace rcpputils

#endif
