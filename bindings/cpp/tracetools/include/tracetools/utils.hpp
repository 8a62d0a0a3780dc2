// The names of callbacks for traces, which nothing reads.
#ifndef TRACETOOLS_UTILS_HPP_
#define TRACETOOLS_UTILS_HPP_

#include <cstring>

#include "tracetools/tracetools.h"
#include "tracetools/visibility_control.hpp"

namespace tracetools
{

/// Returns "UNKNOWN" in memory that the caller frees with std::free.
template<typename Callable>
char * get_symbol(const Callable &) {return strdup("UNKNOWN");}

}  // namespace tracetools

#endif
