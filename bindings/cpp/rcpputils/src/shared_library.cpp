#include "rcpputils/shared_library.hpp"

#include <stdexcept>
#include <utility>

#include "rcutils/error_handling.h"

namespace rcpputils
{

namespace
{

[[noreturn]] void throw_rcutils_error()
{
  const std::string text = rcutils_get_error_string().str;
  rcutils_reset_error();
  throw std::runtime_error(text);
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string & library_path)
: library_(rcutils_get_zero_initialized_shared_library())
{
  const auto allocator = rcutils_get_default_allocator();
  if (rcutils_load_shared_library(&library_, library_path.c_str(), allocator) != RCUTILS_RET_OK) {
    throw_rcutils_error();
  }
}

SharedLibrary::~SharedLibrary()
{
  if (rcutils_is_shared_library_loaded(&library_) &&
    rcutils_unload_shared_library(&library_) != RCUTILS_RET_OK)
  {
    rcutils_write_to_stderr("rcpputils: %s\n", rcutils_get_error_string().str);
    rcutils_reset_error();
  }
}

void SharedLibrary::unload_library()
{
  if (rcutils_unload_shared_library(&library_) != RCUTILS_RET_OK) {
    throw_rcutils_error();
  }
}

bool SharedLibrary::has_symbol(const char * symbol_name) const
{
  return rcutils_has_symbol(&library_, symbol_name);
}

bool SharedLibrary::has_symbol(const std::string & symbol_name) const {return has_symbol(symbol_name.c_str());}

void * SharedLibrary::get_symbol(const char * symbol_name) const
{
  void * symbol = rcutils_get_symbol(&library_, symbol_name);
  if (!symbol) {
    throw_rcutils_error();
  }
  return symbol;
}

void * SharedLibrary::get_symbol(const std::string & symbol_name) const {return get_symbol(symbol_name.c_str());}

std::string SharedLibrary::get_library_path() const
{
  if (!library_.library_path) {
    throw std::runtime_error("the library is not loaded");
  }
  return library_.library_path;
}

std::string get_platform_library_name(std::string library_name, bool debug)
{
  std::string result(library_name.size() + 16, '\0');
  const auto size = static_cast<unsigned int>(result.size());
  if (rcutils_get_platform_library_name(library_name.c_str(), result.data(), size, debug) != RCUTILS_RET_OK) {
    throw_rcutils_error();
  }
  result.resize(result.find('\0'));
  return result;
}

}  // namespace rcpputils
