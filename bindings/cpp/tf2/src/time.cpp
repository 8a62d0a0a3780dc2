#include "tf2/time.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace tf2
{

namespace
{

constexpr std::int64_t ns_per_second = 1000000000;

}  // namespace

TimePoint get_now()
{
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration durationFromSec(double t_sec)
{
  // 2^63 ns. The product below it fits into 64 bits.
  constexpr double limit = 9223372036.0;
  if (std::isnan(t_sec)) {
    return Duration::zero();
  }
  if (std::fabs(t_sec) >= limit) {
    return t_sec > 0.0 ? Duration::max() : Duration::min();
  }
  // Whole seconds apart, so that large times keep their nanoseconds.
  const double whole = std::floor(t_sec);
  const auto seconds = static_cast<std::int64_t>(whole);
  const auto nanoseconds = static_cast<std::int64_t>(std::llround((t_sec - whole) * 1e9));
  return Duration(seconds * ns_per_second + nanoseconds);
}

TimePoint timeFromSec(double t_sec) {return TimePoint(durationFromSec(t_sec));}

double durationToSec(const Duration & input)
{
  const std::int64_t count = input.count();
  return static_cast<double>(count / ns_per_second) + 1e-9 * static_cast<double>(count % ns_per_second);
}

double timeToSec(const TimePoint & timepoint) {return durationToSec(timepoint.time_since_epoch());}

std::string displayTimePoint(const TimePoint & stamp)
{
  char text[64];
  std::snprintf(text, sizeof(text), "%.6f", timeToSec(stamp));
  return text;
}

}  // namespace tf2
