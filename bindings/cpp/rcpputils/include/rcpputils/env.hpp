// Environment variables.
#ifndef RCPPUTILS_ENV_HPP_
#define RCPPUTILS_ENV_HPP_

#include <string>

#include "rcpputils/visibility_control.hpp"

namespace rcpputils
{

/// Returns the value of a variable, or "" if it is not set. Throws std::runtime_error if `env_var` is null.
RCPPUTILS_PUBLIC std::string get_env_var(const char * env_var);

/// Sets a variable, or removes it if the value is null; returns true. Throws std::runtime_error if that fails.
RCPPUTILS_PUBLIC bool set_env_var(const char * env_var, const char * env_value);

}  // namespace rcpputils

#endif
