// The share folder of a package as a path.
#ifndef AMENT_INDEX_CPP_GET_PACKAGE_SHARE_PATH_HPP_
#define AMENT_INDEX_CPP_GET_PACKAGE_SHARE_PATH_HPP_

#include <filesystem>
#include <string>

#include "ament_index_cpp/get_package_prefix.hpp"
#include "ament_index_cpp/visibility_control.h"

namespace ament_index_cpp
{

/// Returns <prefix>/share/<package_name>; throws as get_package_prefix does.
AMENT_INDEX_CPP_PUBLIC std::filesystem::path get_package_share_path(const std::string & package_name);

}  // namespace ament_index_cpp

#endif
