/** Options of a command line. */
#ifndef RCUTILS_CMDLINE_PARSER_H_
#define RCUTILS_CMDLINE_PARSER_H_

#include <stdbool.h>

#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns true if one of the arguments in [begin, end) is `option`. */
RCUTILS_PUBLIC bool rcutils_cli_option_exist(char ** begin, char ** end, const char * option);

/** Returns the argument after the first `option`, or NULL if there is none. */
RCUTILS_PUBLIC char * rcutils_cli_get_option(char ** begin, char ** end, const char * option);

#ifdef __cplusplus
}
#endif

#endif
