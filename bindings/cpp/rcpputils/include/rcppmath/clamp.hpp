// The older name of std::clamp.
#ifndef RCPPMATH_CLAMP_HPP_
#define RCPPMATH_CLAMP_HPP_

#include <algorithm>

namespace rcppmath
{

using std::clamp;

}  // namespace rcppmath

#endif
