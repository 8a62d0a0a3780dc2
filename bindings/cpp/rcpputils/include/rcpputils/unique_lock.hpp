// std::unique_lock with annotations for clang's thread safety analysis.
#ifndef RCPPUTILS_UNIQUE_LOCK_HPP_
#define RCPPUTILS_UNIQUE_LOCK_HPP_

#include <mutex>

#include "rcpputils/thread_safety_annotations.hpp"

namespace rcpputils
{

/// A std::unique_lock that locks in its constructor.
template<class MutexT>
class RCPPUTILS_TSA_SCOPED_CAPABILITY unique_lock : public std::unique_lock<MutexT>
{
public:
  explicit unique_lock(MutexT & mutex) RCPPUTILS_TSA_ACQUIRE(mutex)
  : std::unique_lock<MutexT>(mutex)
  {
  }
  ~unique_lock() RCPPUTILS_TSA_RELEASE() {}

  void lock() RCPPUTILS_TSA_ACQUIRE() RCPPUTILS_TSA_NO_THREAD_SAFETY_ANALYSIS {std::unique_lock<MutexT>::lock();}
  void unlock() RCPPUTILS_TSA_RELEASE() RCPPUTILS_TSA_NO_THREAD_SAFETY_ANALYSIS
  {
    std::unique_lock<MutexT>::unlock();
  }
};

}  // namespace rcpputils

#endif
