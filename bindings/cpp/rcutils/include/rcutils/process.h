/** This process. */
#ifndef RCUTILS_PROCESS_H_
#define RCUTILS_PROCESS_H_

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the process id. */
RCUTILS_PUBLIC int rcutils_get_pid(void);

/** Returns the name of the program without its folder, or NULL. The caller frees it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED char * rcutils_get_executable_name(rcutils_allocator_t allocator);

#ifdef __cplusplus
}
#endif

#endif
