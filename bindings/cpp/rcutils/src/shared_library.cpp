#include "rcutils/shared_library.h"

#include <dlfcn.h>

#include <cstdio>

#include "rcutils/error_handling.h"
#include "rcutils/strdup.h"

namespace
{

const char * last_dl_error()
{
  const char * text = dlerror();
  return text ? text : "unknown error";
}

}  // namespace

rcutils_shared_library_t rcutils_get_zero_initialized_shared_library()
{
  return {nullptr, nullptr, rcutils_get_zero_initialized_allocator()};
}

rcutils_ret_t rcutils_load_shared_library(
  rcutils_shared_library_t * lib, const char * library_path, rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(lib, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(library_path, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  char * path = rcutils_strdup(library_path, allocator);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(path, "no memory for the path of a library", return RCUTILS_RET_BAD_ALLOC);
  void * handle = dlopen(library_path, RTLD_LAZY);
  if (!handle) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("can't load '%s': %s", library_path, last_dl_error());
    allocator.deallocate(path, allocator.state);
    return RCUTILS_RET_ERROR;
  }
  *lib = {handle, path, allocator};
  return RCUTILS_RET_OK;
}

void * rcutils_get_symbol(const rcutils_shared_library_t * lib, const char * symbol_name)
{
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(lib && lib->lib_pointer, "the library is not loaded", return nullptr);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(symbol_name, nullptr);
  void * symbol = dlsym(lib->lib_pointer, symbol_name);
  if (!symbol) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING(
      "no symbol '%s' in '%s': %s", symbol_name, lib->library_path, last_dl_error());
  }
  return symbol;
}

bool rcutils_has_symbol(const rcutils_shared_library_t * lib, const char * symbol_name)
{
  return lib && lib->lib_pointer && symbol_name && dlsym(lib->lib_pointer, symbol_name);
}

rcutils_ret_t rcutils_unload_shared_library(rcutils_shared_library_t * lib)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(lib, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(
    lib->lib_pointer, "the library is not loaded", return RCUTILS_RET_INVALID_ARGUMENT);
  rcutils_ret_t ret = RCUTILS_RET_OK;
  if (dlclose(lib->lib_pointer) != 0) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("can't close '%s': %s", lib->library_path, last_dl_error());
    ret = RCUTILS_RET_ERROR;
  }
  lib->allocator.deallocate(lib->library_path, lib->allocator.state);
  *lib = rcutils_get_zero_initialized_shared_library();
  return ret;
}

rcutils_ret_t rcutils_get_platform_library_name(
  const char * library_name, char * library_name_platform, unsigned int buffer_size, bool debug)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(library_name, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(library_name_platform, RCUTILS_RET_INVALID_ARGUMENT);
  const int length = std::snprintf(
    library_name_platform, buffer_size, "lib%s%s.so", library_name, debug ? "d" : "");
  if (length < 0 || static_cast<unsigned int>(length) >= buffer_size) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("the file name of library '%s' does not fit", library_name);
    return RCUTILS_RET_NOT_ENOUGH_SPACE;
  }
  return RCUTILS_RET_OK;
}

bool rcutils_is_shared_library_loaded(rcutils_shared_library_t * lib)
{
  return lib && lib->lib_pointer;
}
