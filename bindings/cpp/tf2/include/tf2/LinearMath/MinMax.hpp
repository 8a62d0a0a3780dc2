// Minimum, maximum and limits. The names have no namespace, as in ROS 2.
#ifndef TF2_LINEARMATH_MINMAX_HPP_
#define TF2_LINEARMATH_MINMAX_HPP_

#include "tf2/LinearMath/Scalar.hpp"

template<class T>
inline const T & tf2Min(const T & a, const T & b) {return a < b ? a : b;}

template<class T>
inline const T & tf2Max(const T & a, const T & b) {return a > b ? a : b;}

/// Returns `a` within [lower, upper].
template<class T>
inline const T & tf2Clamped(const T & a, const T & lower, const T & upper)
{
  return a < lower ? lower : upper < a ? upper : a;
}

/// Sets `a` to the smaller one.
template<class T>
inline void tf2SetMin(T & a, const T & b)
{
  if (b < a) {
    a = b;
  }
}

/// Sets `a` to the larger one.
template<class T>
inline void tf2SetMax(T & a, const T & b)
{
  if (a < b) {
    a = b;
  }
}

/// Sets `a` to the nearest value within [lower, upper].
template<class T>
inline void tf2Clamp(T & a, const T & lower, const T & upper) {a = tf2Clamped(a, lower, upper);}

#endif
