// The mean of the last values.
#ifndef RCPPUTILS_ROLLING_MEAN_ACCUMULATOR_HPP_
#define RCPPUTILS_ROLLING_MEAN_ACCUMULATOR_HPP_

#include <cstddef>
#include <numeric>
#include <vector>

namespace rcpputils
{

/// Keeps the last values of a window and their mean. T is an arithmetic type.
template<typename T>
class RollingMeanAccumulator
{
public:
  RollingMeanAccumulator() = delete;

  /// Makes an empty window of `rolling_window_size` values; 0 counts as 1.
  explicit RollingMeanAccumulator(std::size_t rolling_window_size)
  : window_(rolling_window_size > 0 ? rolling_window_size : 1, T{0})
  {
  }

  /// Adds a value in place of the oldest one.
  void accumulate(T value)
  {
    sum_ = static_cast<T>(sum_ - window_[next_] + value);
    window_[next_] = value;
    count_ += count_ < window_.size() ? 1 : 0;
    ++next_;
    if (next_ == window_.size()) {
      next_ = 0;
      // A new sum per round keeps the rounding errors of additions and subtractions from growing.
      sum_ = std::accumulate(window_.begin(), window_.end(), T{0});
    }
  }

  /// Returns the mean of the values in the window, or 0 before the first value.
  T getRollingMean() const
  {
    return count_ == 0 ? T{0} : static_cast<T>(sum_ / static_cast<T>(count_));
  }

private:
  std::vector<T> window_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  T sum_ = T{0};
};

}  // namespace rcpputils

#endif
