#include "tf2/exceptions.hpp"

namespace tf2
{

// The destructors are here so that all libraries share one type information.

TransformException::TransformException(const std::string & errorDescription)
: std::runtime_error(errorDescription)
{
}

TransformException::~TransformException() = default;

ConnectivityException::ConnectivityException(const std::string & errorDescription)
: TransformException(errorDescription)
{
}

ConnectivityException::~ConnectivityException() = default;

LookupException::LookupException(const std::string & errorDescription)
: TransformException(errorDescription)
{
}

LookupException::~LookupException() = default;

ExtrapolationException::ExtrapolationException(const std::string & errorDescription)
: TransformException(errorDescription)
{
}

ExtrapolationException::~ExtrapolationException() = default;

BackwardExtrapolationException::BackwardExtrapolationException(const std::string & errorDescription)
: ExtrapolationException(errorDescription)
{
}

BackwardExtrapolationException::~BackwardExtrapolationException() = default;

ForwardExtrapolationException::ForwardExtrapolationException(const std::string & errorDescription)
: ExtrapolationException(errorDescription)
{
}

ForwardExtrapolationException::~ForwardExtrapolationException() = default;

NoDataForExtrapolationException::NoDataForExtrapolationException(const std::string & errorDescription)
: ExtrapolationException(errorDescription)
{
}

NoDataForExtrapolationException::~NoDataForExtrapolationException() = default;

InvalidArgumentException::InvalidArgumentException(const std::string & errorDescription)
: TransformException(errorDescription)
{
}

InvalidArgumentException::~InvalidArgumentException() = default;

TimeoutException::TimeoutException(const std::string & errorDescription)
: TransformException(errorDescription)
{
}

TimeoutException::~TimeoutException() = default;

}  // namespace tf2
