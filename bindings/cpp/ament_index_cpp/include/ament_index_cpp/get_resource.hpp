// The content of a resource.
#ifndef AMENT_INDEX_CPP_GET_RESOURCE_HPP_
#define AMENT_INDEX_CPP_GET_RESOURCE_HPP_

#include <string>

#include "ament_index_cpp/visibility_control.h"

namespace ament_index_cpp
{

/// Reads the first resource of this type and name; returns false if there is none.
///
/// `prefix_path` gets the prefix, if it is not null. Throws std::runtime_error if the type or the name is empty or
/// AMENT_PREFIX_PATH is not set.
AMENT_INDEX_CPP_PUBLIC bool get_resource(
  const std::string & resource_type, const std::string & resource_name, std::string & content,
  std::string * prefix_path = nullptr);

}  // namespace ament_index_cpp

#endif
