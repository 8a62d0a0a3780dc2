#include "rcutils/env.h"

#include <cstdlib>

#include "rcutils/error_handling.h"

bool rcutils_set_env(const char * env_name, const char * env_value)
{
  return rcutils_set_env_overwrite(env_name, env_value, true);
}

bool rcutils_set_env_overwrite(const char * env_name, const char * env_value, bool overwrite)
{
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(env_name, "the name of the variable is null", return false);
  const int result = env_value ? setenv(env_name, env_value, overwrite ? 1 : 0) : unsetenv(env_name);
  if (result != 0) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("can't set the environment variable '%s'", env_name);
    return false;
  }
  return true;
}

const char * rcutils_get_env(const char * env_name, const char ** env_value)
{
  if (!env_name) {
    return "argument env_name is null";
  }
  if (!env_value) {
    return "argument env_value is null";
  }
  const char * value = std::getenv(env_name);
  *env_value = value ? value : "";
  return nullptr;
}

const char * rcutils_get_home_dir()
{
  const char * home = std::getenv("HOME");
  return home && *home != '\0' ? home : nullptr;
}
