// The resources of a type.
#ifndef AMENT_INDEX_CPP_GET_RESOURCES_HPP_
#define AMENT_INDEX_CPP_GET_RESOURCES_HPP_

#include <map>
#include <string>

#include "ament_index_cpp/visibility_control.h"

namespace ament_index_cpp
{

/// Returns the names of all resources of a type, each with its first prefix.
///
/// Throws std::runtime_error if the type is empty or AMENT_PREFIX_PATH is not set.
AMENT_INDEX_CPP_PUBLIC std::map<std::string, std::string> get_resources(const std::string & resource_type);

}  // namespace ament_index_cpp

#endif
