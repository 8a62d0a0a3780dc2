/** Loading shared libraries. */
#ifndef RCUTILS_SHARED_LIBRARY_H_
#define RCUTILS_SHARED_LIBRARY_H_

#include <stdbool.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A loaded library. */
typedef struct rcutils_shared_library_s
{
  void * lib_pointer;
  char * library_path;
  rcutils_allocator_t allocator;
} rcutils_shared_library_t;

/** Returns a value that is not loaded. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_shared_library_t rcutils_get_zero_initialized_shared_library(void);

/** Loads a library by path or by a name that the linker finds; returns RCUTILS_RET_ERROR if that fails. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_load_shared_library(
  rcutils_shared_library_t * lib, const char * library_path, rcutils_allocator_t allocator);

/** Returns the address of a symbol; sets an error and returns NULL if there is none. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
void * rcutils_get_symbol(const rcutils_shared_library_t * lib, const char * symbol_name);

/** Returns true if the library has the symbol. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
bool rcutils_has_symbol(const rcutils_shared_library_t * lib, const char * symbol_name);

/** Closes the library and frees its path; returns RCUTILS_RET_INVALID_ARGUMENT if it is not loaded. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_unload_shared_library(rcutils_shared_library_t * lib);

/** Writes the file name of a library, "lib<name>.so", or "lib<name>d.so" with `debug`. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_get_platform_library_name(
  const char * library_name, char * library_name_platform, unsigned int buffer_size, bool debug);

/** Returns true if the library is loaded. */
RCUTILS_PUBLIC bool rcutils_is_shared_library_loaded(rcutils_shared_library_t * lib);

#ifdef __cplusplus
}
#endif

#endif
