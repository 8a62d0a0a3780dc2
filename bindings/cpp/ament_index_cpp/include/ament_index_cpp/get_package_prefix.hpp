// The prefix in which a package is installed.
#ifndef AMENT_INDEX_CPP_GET_PACKAGE_PREFIX_HPP_
#define AMENT_INDEX_CPP_GET_PACKAGE_PREFIX_HPP_

#include <stdexcept>
#include <string>

#include "ament_index_cpp/visibility_control.h"

namespace ament_index_cpp
{

/// A package is in none of the prefixes.
class AMENT_INDEX_CPP_PUBLIC_TYPE PackageNotFoundError : public std::out_of_range
{
public:
  explicit PackageNotFoundError(const std::string & package_name);
  PackageNotFoundError(const PackageNotFoundError & other);
  ~PackageNotFoundError() override;

  const std::string package_name;
};

/// Returns the first prefix that has the package.
///
/// Throws PackageNotFoundError, and std::runtime_error if AMENT_PREFIX_PATH is not set.
AMENT_INDEX_CPP_PUBLIC std::string get_package_prefix(const std::string & package_name);

}  // namespace ament_index_cpp

#endif
