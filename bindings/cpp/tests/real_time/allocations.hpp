// The number of allocations of a thread.
#ifndef ALLOCATIONS_HPP_
#define ALLOCATIONS_HPP_

#include <cstdint>

/// Returns how often this thread has allocated memory so far, in libraries too.
std::uint64_t allocations();

#endif  // ALLOCATIONS_HPP_
