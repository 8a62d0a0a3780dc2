// The scalar type of tf2, its constants and functions. The names have no namespace, as in ROS 2.
#ifndef TF2_LINEARMATH_SCALAR_HPP_
#define TF2_LINEARMATH_SCALAR_HPP_

// Programs use the names of these headers without their namespace, because the original includes the headers of C.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>

/// The type of all numbers of tf2.
typedef double tf2Scalar;

#define TF2SIMD_FORCE_INLINE inline
/// Keeps the static variable of an inline function private to each library: a shared one would keep it loaded.
#define TF2_LOCAL_STATIC __attribute__((visibility("hidden")))
#define ATTRIBUTE_ALIGNED16(a) a
#define tf2Assert(x)
#define tf2FullAssert(x)

#define TF2SIMD_PI 3.14159265358979323846
#define TF2SIMD_2_PI (2.0 * TF2SIMD_PI)
#define TF2SIMD_HALF_PI (0.5 * TF2SIMD_PI)
#define TF2SIMD_RADS_PER_DEG (TF2SIMD_PI / 180.0)
#define TF2SIMD_DEGS_PER_RAD (180.0 / TF2SIMD_PI)
/// The square root of 1/2.
#define TF2SIMDSQRT12 0.70710678118654752440
#define TF2SIMD_EPSILON DBL_EPSILON
#define TF2SIMD_INFINITY DBL_MAX
#define TF2_LARGE_FLOAT 1e30
#define tf2RecipSqrt(x) (1.0 / tf2Sqrt(x))

inline tf2Scalar tf2Sqrt(tf2Scalar x) {return std::sqrt(x);}
inline tf2Scalar tf2Fabs(tf2Scalar x) {return std::fabs(x);}
inline tf2Scalar tf2Cos(tf2Scalar x) {return std::cos(x);}
inline tf2Scalar tf2Sin(tf2Scalar x) {return std::sin(x);}
inline tf2Scalar tf2Tan(tf2Scalar x) {return std::tan(x);}
inline tf2Scalar tf2Atan(tf2Scalar x) {return std::atan(x);}
inline tf2Scalar tf2Atan2(tf2Scalar y, tf2Scalar x) {return std::atan2(y, x);}
inline tf2Scalar tf2Exp(tf2Scalar x) {return std::exp(x);}
inline tf2Scalar tf2Log(tf2Scalar x) {return std::log(x);}
inline tf2Scalar tf2Pow(tf2Scalar x, tf2Scalar y) {return std::pow(x, y);}
inline tf2Scalar tf2Fmod(tf2Scalar x, tf2Scalar y) {return std::fmod(x, y);}

/// The arc cosine of x, cut to [-1, 1].
inline tf2Scalar tf2Acos(tf2Scalar x) {return std::acos(x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x);}

/// The arc sine of x, cut to [-1, 1].
inline tf2Scalar tf2Asin(tf2Scalar x) {return std::asin(x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x);}

/// True if |x| is less than the machine epsilon.
inline bool tf2FuzzyZero(tf2Scalar x) {return std::fabs(x) < TF2SIMD_EPSILON;}

/// True if |a| is at most eps.
inline bool tf2Equal(tf2Scalar a, tf2Scalar eps) {return a <= eps && !(a < -eps);}

/// True if a is more than -eps.
inline bool tf2GreaterEqual(tf2Scalar a, tf2Scalar eps) {return !(a <= -eps);}

inline int tf2IsNegative(tf2Scalar x) {return x < 0.0 ? 1 : 0;}
inline tf2Scalar tf2Radians(tf2Scalar degrees) {return degrees * TF2SIMD_RADS_PER_DEG;}
inline tf2Scalar tf2Degrees(tf2Scalar radians) {return radians * TF2SIMD_DEGS_PER_RAD;}

/// Returns the same angle within [-pi, pi], in radians.
inline tf2Scalar tf2NormalizeAngle(tf2Scalar radians) {return std::remainder(radians, TF2SIMD_2_PI);}

/// b if a is at least 0, else c.
inline tf2Scalar tf2Fsel(tf2Scalar a, tf2Scalar b, tf2Scalar c) {return a >= 0.0 ? b : c;}

template<typename T>
inline void tf2Swap(T & a, T & b)
{
  T old_a = a;
  a = b;
  b = old_a;
}

#endif
