// The prefixes in which packages are searched.
#ifndef AMENT_INDEX_CPP_GET_SEARCH_PATHS_HPP_
#define AMENT_INDEX_CPP_GET_SEARCH_PATHS_HPP_

#include <list>
#include <string>

#include "ament_index_cpp/visibility_control.h"

namespace ament_index_cpp
{

/// Returns the prefixes of AMENT_PREFIX_PATH that are folders, in order.
///
/// Throws std::runtime_error if the variable is not set or empty.
AMENT_INDEX_CPP_PUBLIC std::list<std::string> get_search_paths();

}  // namespace ament_index_cpp

#endif
