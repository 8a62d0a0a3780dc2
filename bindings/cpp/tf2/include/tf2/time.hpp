// Times and durations of transforms.
#ifndef TF2_TIME_HPP_
#define TF2_TIME_HPP_

#include <chrono>
#include <string>

#include "tf2/visibility_control.hpp"

namespace tf2
{

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Seconds as a double.
using IDuration = std::chrono::duration<double>;

/// The time that stands for the latest transform.
constexpr TimePoint TimePointZero{};

/// Returns the time of the system clock.
TF2_PUBLIC TimePoint get_now();

/// Returns a duration in seconds, rounded to nanoseconds and cut to what fits; NaN gives 0.
TF2_PUBLIC Duration durationFromSec(double t_sec);

/// Returns a time in seconds since 1970, as durationFromSec.
TF2_PUBLIC TimePoint timeFromSec(double t_sec);

/// Returns a duration in seconds.
TF2_PUBLIC double durationToSec(const Duration & input);

/// Returns a time in seconds since 1970.
TF2_PUBLIC double timeToSec(const TimePoint & timepoint);

/// Returns a time in seconds since 1970 with six decimals.
TF2_PUBLIC std::string displayTimePoint(const TimePoint & stamp);

}  // namespace tf2

#endif
