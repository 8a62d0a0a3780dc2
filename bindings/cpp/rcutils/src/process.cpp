// qsort, process, fault injection: what fits nowhere else.
#include "rcutils/process.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "rcutils/error_handling.h"
#include "rcutils/qsort.h"
#include "rcutils/strdup.h"
#include "rcutils/testing/fault_injection.h"

int rcutils_get_pid() {return static_cast<int>(getpid());}

char * rcutils_get_executable_name(rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return nullptr);
  return rcutils_strdup(program_invocation_short_name, allocator);
}

rcutils_ret_t rcutils_qsort(void * ptr, size_t count, size_t size, int (* comp)(const void *, const void *))
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(comp, RCUTILS_RET_INVALID_ARGUMENT);
  if (count <= 1) {
    return RCUTILS_RET_OK;
  }
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(ptr, RCUTILS_RET_INVALID_ARGUMENT);
  std::qsort(ptr, count, size, comp);
  return RCUTILS_RET_OK;
}

bool rcutils_fault_injection_is_test_complete() {return true;}

void rcutils_fault_injection_set_count(int_least64_t) {}

int_least64_t rcutils_fault_injection_get_count() {return RCUTILS_FAULT_INJECTION_NEVER_FAIL;}
