// Finding libraries in LD_LIBRARY_PATH.
#ifndef RCPPUTILS_FIND_LIBRARY_HPP_
#define RCPPUTILS_FIND_LIBRARY_HPP_

#include <string>

#include "rcpputils/visibility_control.hpp"

namespace rcpputils
{

/// Returns the path of lib<library_name>.so in the first folder of LD_LIBRARY_PATH that has it, or "".
RCPPUTILS_PUBLIC std::string find_library_path(const std::string & library_name);

/// Returns the path of lib<library_name>.so in a folder, or "" if it is not there.
RCPPUTILS_PUBLIC std::string path_for_library(const std::string & directory, const std::string & library_name);

}  // namespace rcpputils

#endif
