#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "ament_index_cpp/get_resource.hpp"
#include "ament_index_cpp/get_resources.hpp"
#include "ament_index_cpp/get_search_paths.hpp"
#include "ament_index_cpp/has_resource.hpp"

namespace ament_index_cpp
{

namespace
{

void check(const std::string & argument, const char * what)
{
  if (argument.empty()) {
    throw std::runtime_error(std::string("can't search a resource: its ") + what + " is empty");
  }
}

std::filesystem::path folder_of(const std::string & prefix, const std::string & resource_type)
{
  return std::filesystem::path(prefix) / "share/ament_index/resource_index" / resource_type;
}

// Returns the file of the first resource of this type and name, or an empty path.
std::filesystem::path find(
  const std::string & resource_type, const std::string & resource_name, std::string * prefix_path)
{
  check(resource_type, "type");
  check(resource_name, "name");
  for (const std::string & prefix : get_search_paths()) {
    const auto file = folder_of(prefix, resource_type) / resource_name;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) {
      if (prefix_path) {
        *prefix_path = prefix;
      }
      return file;
    }
  }
  return {};
}

// Symbolic links to files count: colcon makes them.
void add_resources(
  const std::string & prefix, const std::string & resource_type, std::map<std::string, std::string> & resources)
{
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_of(prefix, resource_type), error), end; entry != end;
    entry.increment(error))
  {
    const std::string name = entry->path().filename().string();
    std::error_code no_file;
    if (name[0] != '.' && entry->is_regular_file(no_file)) {
      resources.emplace(name, prefix);
    }
  }
}

}  // namespace

bool has_resource(
  const std::string & resource_type, const std::string & resource_name, std::string * prefix_path)
{
  return !find(resource_type, resource_name, prefix_path).empty();
}

bool get_resource(
  const std::string & resource_type, const std::string & resource_name, std::string & content,
  std::string * prefix_path)
{
  const auto path = find(resource_type, resource_name, prefix_path);
  if (path.empty()) {
    return false;
  }
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("can't read the resource '" + path.string() + "'");
  }
  content.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

std::map<std::string, std::string> get_resources(const std::string & resource_type)
{
  check(resource_type, "type");
  std::map<std::string, std::string> resources;
  for (const std::string & prefix : get_search_paths()) {
    add_resources(prefix, resource_type, resources);
  }
  return resources;
}

}  // namespace ament_index_cpp
