// The share folder of a package.
#ifndef AMENT_INDEX_CPP_GET_PACKAGE_SHARE_DIRECTORY_HPP_
#define AMENT_INDEX_CPP_GET_PACKAGE_SHARE_DIRECTORY_HPP_

#include <string>

#include "ament_index_cpp/get_package_prefix.hpp"
#include "ament_index_cpp/visibility_control.h"

namespace ament_index_cpp
{

/// Returns <prefix>/share/<package_name>; throws as get_package_prefix does.
AMENT_INDEX_CPP_PUBLIC std::string get_package_share_directory(const std::string & package_name);

}  // namespace ament_index_cpp

#endif
