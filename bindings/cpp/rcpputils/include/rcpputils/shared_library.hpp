// Loading shared libraries.
#ifndef RCPPUTILS_SHARED_LIBRARY_HPP_
#define RCPPUTILS_SHARED_LIBRARY_HPP_

#include <string>

#include "rcpputils/visibility_control.hpp"
#include "rcutils/shared_library.h"

namespace rcpputils
{

/// A loaded library, which is unloaded with the object.
class RCPPUTILS_PUBLIC_TYPE SharedLibrary
{
public:
  /// Loads a library by path or name. Throws std::runtime_error if that fails.
  explicit SharedLibrary(const std::string & library_path);
  virtual ~SharedLibrary();
  SharedLibrary(const SharedLibrary &) = delete;
  SharedLibrary & operator=(const SharedLibrary &) = delete;

  /// Unloads the library. Throws std::runtime_error if it is not loaded.
  void unload_library();

  /// Returns true if the library has the symbol.
  bool has_symbol(const char * symbol_name) const;
  bool has_symbol(const std::string & symbol_name) const;

  /// Returns the address of a symbol. Throws std::runtime_error if there is none.
  void * get_symbol(const char * symbol_name) const;
  void * get_symbol(const std::string & symbol_name) const;

  /// Returns the path that the constructor got. Throws std::runtime_error if the library is not loaded.
  std::string get_library_path() const;

private:
  rcutils_shared_library_t library_;
};

/// Returns the file name of a library: lib<library_name>.so, or lib<library_name>d.so with `debug`.
RCPPUTILS_PUBLIC std::string get_platform_library_name(std::string library_name, bool debug = false);

}  // namespace rcpputils

#endif
