// Mutexes with priority inheritance.
#ifndef RCPPUTILS_MUTEX_HPP_
#define RCPPUTILS_MUTEX_HPP_

#include <mutex>

#include "rcpputils/visibility_control.hpp"

namespace rcpputils
{

/// A std::mutex whose owner gets the priority of the highest thread that waits for it.
///
/// The constructor throws std::system_error if the system does not have such mutexes.
class RCPPUTILS_PUBLIC_TYPE PIMutex : public std::mutex
{
public:
  PIMutex();
};

/// As PIMutex, for locks of one thread inside of each other.
class RCPPUTILS_PUBLIC_TYPE RecursivePIMutex : public std::recursive_mutex
{
public:
  RecursivePIMutex();
};

}  // namespace rcpputils

#endif
