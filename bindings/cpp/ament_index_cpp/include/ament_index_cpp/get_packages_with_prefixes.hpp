// All packages and their prefixes.
#ifndef AMENT_INDEX_CPP_GET_PACKAGES_WITH_PREFIXES_HPP_
#define AMENT_INDEX_CPP_GET_PACKAGES_WITH_PREFIXES_HPP_

#include <map>
#include <string>

#include "ament_index_cpp/visibility_control.h"

namespace ament_index_cpp
{

/// Returns the prefix of each package. Throws std::runtime_error if AMENT_PREFIX_PATH is not set.
AMENT_INDEX_CPP_PUBLIC std::map<std::string, std::string> get_packages_with_prefixes();

}  // namespace ament_index_cpp

#endif
