// The older name of rcpputils/rolling_mean_accumulator.hpp.
#ifndef RCPPMATH_ROLLING_MEAN_ACCUMULATOR_HPP_
#define RCPPMATH_ROLLING_MEAN_ACCUMULATOR_HPP_

#include "rcpputils/rolling_mean_accumulator.hpp"

namespace rcppmath
{

using rcpputils::RollingMeanAccumulator;

}  // namespace rcppmath

#endif
