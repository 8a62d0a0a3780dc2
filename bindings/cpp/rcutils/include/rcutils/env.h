/** Environment variables. */
#ifndef RCUTILS_ENV_H_
#define RCUTILS_ENV_H_

#include <stdbool.h>

#include "rcutils/macros.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sets a variable, or removes it if the value is NULL; sets an error and returns false if that fails. */
RCUTILS_PUBLIC bool rcutils_set_env(const char * env_name, const char * env_value);

/** As rcutils_set_env, but keeps a variable that exists if `overwrite` is false. */
RCUTILS_PUBLIC bool rcutils_set_env_overwrite(const char * env_name, const char * env_value, bool overwrite);

/**
 * Gets a variable, or "" if it is not set; returns NULL, or a text about the wrong argument.
 *
 * The value is valid until the variable changes.
 */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED const char * rcutils_get_env(const char * env_name, const char ** env_value);

/** Returns the value of HOME, or NULL if it is not set or empty. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED const char * rcutils_get_home_dir(void);

#ifdef __cplusplus
}
#endif

#endif
