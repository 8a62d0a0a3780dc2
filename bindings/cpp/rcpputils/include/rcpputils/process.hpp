// This process.
#ifndef RCPPUTILS_PROCESS_HPP_
#define RCPPUTILS_PROCESS_HPP_

#include <string>

#include "rcpputils/visibility_control.hpp"

namespace rcpputils
{

/// Returns the name of the program without its folder. Throws std::runtime_error if it is unknown.
RCPPUTILS_PUBLIC std::string get_executable_name();

}  // namespace rcpputils

#endif
