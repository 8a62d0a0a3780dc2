// The errors of tf2.
#ifndef TF2_EXCEPTIONS_HPP_
#define TF2_EXCEPTIONS_HPP_

#include <cstdint>
#include <stdexcept>
#include <string>

#include "tf2/visibility_control.hpp"

namespace tf2
{

/// What went wrong; the first seven numbers are those of tf2_msgs/TF2Error.
enum class TF2Error : std::uint8_t
{
  TF2_NO_ERROR = 0,
  TF2_LOOKUP_ERROR = 1,
  TF2_CONNECTIVITY_ERROR = 2,
  TF2_EXTRAPOLATION_ERROR = 3,
  TF2_INVALID_ARGUMENT_ERROR = 4,
  TF2_TIMEOUT_ERROR = 5,
  TF2_TRANSFORM_ERROR = 6,
  TF2_BACKWARD_EXTRAPOLATION_ERROR = 7,
  TF2_FORWARD_EXTRAPOLATION_ERROR = 8,
  TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR = 9
};

/// The base of all exceptions of tf2.
class TF2_PUBLIC_TYPE TransformException : public std::runtime_error
{
public:
  explicit TransformException(const std::string & errorDescription);
  ~TransformException() override;
};

/// The frames are not in one tree.
class TF2_PUBLIC_TYPE ConnectivityException : public TransformException
{
public:
  explicit ConnectivityException(const std::string & errorDescription);
  ~ConnectivityException() override;
};

/// A frame does not exist.
class TF2_PUBLIC_TYPE LookupException : public TransformException
{
public:
  explicit LookupException(const std::string & errorDescription);
  ~LookupException() override;
};

/// A time is outside of the known transforms.
class TF2_PUBLIC_TYPE ExtrapolationException : public TransformException
{
public:
  explicit ExtrapolationException(const std::string & errorDescription);
  ~ExtrapolationException() override;
};

/// A time is before all known transforms.
class TF2_PUBLIC_TYPE BackwardExtrapolationException : public ExtrapolationException
{
public:
  explicit BackwardExtrapolationException(const std::string & errorDescription);
  ~BackwardExtrapolationException() override;
};

/// A time is after all known transforms.
class TF2_PUBLIC_TYPE ForwardExtrapolationException : public ExtrapolationException
{
public:
  explicit ForwardExtrapolationException(const std::string & errorDescription);
  ~ForwardExtrapolationException() override;
};

/// Only one transform is known, of another time.
class TF2_PUBLIC_TYPE NoDataForExtrapolationException : public ExtrapolationException
{
public:
  explicit NoDataForExtrapolationException(const std::string & errorDescription);
  ~NoDataForExtrapolationException() override;
};

/// An argument is not valid, for example the name of a frame.
class TF2_PUBLIC_TYPE InvalidArgumentException : public TransformException
{
public:
  explicit InvalidArgumentException(const std::string & errorDescription);
  ~InvalidArgumentException() override;
};

/// A transform was not known in time.
class TF2_PUBLIC_TYPE TimeoutException : public TransformException
{
public:
  explicit TimeoutException(const std::string & errorDescription);
  ~TimeoutException() override;
};

}  // namespace tf2

#endif
