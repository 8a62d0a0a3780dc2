// The older name of rcpputils/env.hpp.
#ifndef RCPPUTILS_GET_ENV_HPP_
#define RCPPUTILS_GET_ENV_HPP_

#include "rcpputils/env.hpp"

#endif
