#include "rcpputils/mutex.hpp"

#include <pthread.h>

#include <system_error>

namespace rcpputils
{

namespace
{

void check(int error, const char * what)
{
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), what);
  }
}

struct Attributes
{
  Attributes() {check(pthread_mutexattr_init(&value), "pthread_mutexattr_init");}
  ~Attributes() {pthread_mutexattr_destroy(&value);}
  Attributes(const Attributes &) = delete;
  Attributes & operator=(const Attributes &) = delete;

  pthread_mutexattr_t value;
};

// The standard classes have no constructor with attributes, so that the mutex is made a second time.
void make_again(pthread_mutex_t * mutex, int type)
{
  Attributes attributes;
  check(pthread_mutexattr_settype(&attributes.value, type), "pthread_mutexattr_settype");
  check(pthread_mutexattr_setprotocol(&attributes.value, PTHREAD_PRIO_INHERIT), "pthread_mutexattr_setprotocol");
  check(pthread_mutex_destroy(mutex), "pthread_mutex_destroy");
  check(pthread_mutex_init(mutex, &attributes.value), "pthread_mutex_init");
}

}  // namespace

PIMutex::PIMutex() {make_again(native_handle(), PTHREAD_MUTEX_NORMAL);}

RecursivePIMutex::RecursivePIMutex() {make_again(native_handle(), PTHREAD_MUTEX_RECURSIVE);}

}  // namespace rcpputils
