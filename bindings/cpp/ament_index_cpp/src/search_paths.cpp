// The one place that decides where packages are searched.
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "ament_index_cpp/get_search_paths.hpp"

namespace ament_index_cpp
{

std::list<std::string> get_search_paths()
{
  const char * value = std::getenv("AMENT_PREFIX_PATH");
  if (!value || *value == '\0') {
    throw std::runtime_error("can't search packages: the environment variable AMENT_PREFIX_PATH is not set or empty");
  }
  std::list<std::string> paths;
  std::istringstream parts(value);
  for (std::string path; std::getline(parts, path, ':'); ) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      paths.push_back(path);
    }
  }
  return paths;
}

}  // namespace ament_index_cpp
