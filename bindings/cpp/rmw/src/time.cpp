#include "rmw/time.h"

namespace
{

constexpr uint64_t SECOND = 1000000000;
constexpr rmw_time_t INFINITE = RMW_DURATION_INFINITE;

}  // namespace

bool rmw_time_equal(const rmw_time_t left, const rmw_time_t right)
{
  return rmw_time_total_nsec(left) == rmw_time_total_nsec(right);
}

rmw_duration_t rmw_time_total_nsec(const rmw_time_t time)
{
  const uint64_t most = INT64_MAX;
  if (time.sec > most / SECOND || time.nsec > most - time.sec * SECOND) {
    return INT64_MAX;
  }
  return static_cast<rmw_duration_t>(time.sec * SECOND + time.nsec);
}

rmw_time_t rmw_time_from_nsec(const rmw_duration_t nanoseconds)
{
  if (nanoseconds < 0) {
    return INFINITE;
  }
  const uint64_t total = static_cast<uint64_t>(nanoseconds);
  return {total / SECOND, total % SECOND};
}

rmw_time_t rmw_time_normalize(const rmw_time_t time)
{
  return rmw_time_from_nsec(rmw_time_total_nsec(time));
}
