#include "ament_index_cpp/get_package_prefix.hpp"
#include "ament_index_cpp/get_package_share_directory.hpp"
#include "ament_index_cpp/get_package_share_path.hpp"
#include "ament_index_cpp/get_packages_with_prefixes.hpp"
#include "ament_index_cpp/get_resources.hpp"
#include "ament_index_cpp/get_search_paths.hpp"
#include "ament_index_cpp/has_resource.hpp"

namespace ament_index_cpp
{

namespace
{

std::string text_of(const std::string & package_name)
{
  std::string text = "package '" + package_name + "' not found in the prefixes [";
  const char * separator = "";
  for (const std::string & prefix : get_search_paths()) {
    text += separator + prefix;
    separator = ", ";
  }
  return text + "]; is its workspace sourced?";
}

}  // namespace

PackageNotFoundError::PackageNotFoundError(const std::string & name)
: std::out_of_range(text_of(name)), package_name(name)
{
}

PackageNotFoundError::PackageNotFoundError(const PackageNotFoundError & other) = default;

PackageNotFoundError::~PackageNotFoundError() = default;

std::string get_package_prefix(const std::string & package_name)
{
  std::string prefix;
  if (package_name.empty() || !has_resource("packages", package_name, &prefix)) {
    throw PackageNotFoundError(package_name);
  }
  return prefix;
}

std::string get_package_share_directory(const std::string & package_name)
{
  return get_package_prefix(package_name) + "/share/" + package_name;
}

std::filesystem::path get_package_share_path(const std::string & package_name)
{
  return get_package_share_directory(package_name);
}

std::map<std::string, std::string> get_packages_with_prefixes() {return get_resources("packages");}

}  // namespace ament_index_cpp
