// Environment variables, the name of the process, and the search for libraries.
#include <stdexcept>
#include <string>

#include "rcpputils/env.hpp"
#include "rcpputils/find_library.hpp"
#include "rcpputils/process.hpp"
#include "rcpputils/shared_library.hpp"
#include "rcpputils/split.hpp"
#include "rcutils/env.h"
#include "rcutils/error_handling.h"
#include "rcutils/filesystem.h"
#include "rcutils/process.h"

namespace rcpputils
{

std::string get_env_var(const char * env_var)
{
  const char * value = nullptr;
  if (const char * error = rcutils_get_env(env_var, &value)) {
    throw std::runtime_error(std::string("can't read an environment variable: ") + error);
  }
  return value;
}

bool set_env_var(const char * env_var, const char * env_value)
{
  if (!rcutils_set_env(env_var, env_value)) {
    const std::string text = rcutils_get_error_string().str;
    rcutils_reset_error();
    throw std::runtime_error(text);
  }
  return true;
}

std::string get_executable_name()
{
  const rcutils_allocator_t allocator = rcutils_get_default_allocator();
  char * name = rcutils_get_executable_name(allocator);
  if (!name) {
    rcutils_reset_error();
    throw std::runtime_error("the name of the program is unknown");
  }
  std::string result(name);
  allocator.deallocate(name, allocator.state);
  return result;
}

std::string path_for_library(const std::string & directory, const std::string & library_name)
{
  const std::string path = directory + "/" + get_platform_library_name(library_name);
  return rcutils_is_file(path.c_str()) ? path : "";
}

std::string find_library_path(const std::string & library_name)
{
  for (const auto & directory : split(get_env_var("LD_LIBRARY_PATH"), ':', true)) {
    const std::string path = path_for_library(directory, library_name);
    if (!path.empty()) {
      return path;
    }
  }
  return "";
}

}  // namespace rcpputils
