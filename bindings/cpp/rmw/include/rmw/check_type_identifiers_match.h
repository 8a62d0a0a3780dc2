#ifndef RMW_CHECK_TYPE_IDENTIFIERS_MATCH_H_
#define RMW_CHECK_TYPE_IDENTIFIERS_MATCH_H_

#include <string.h>

#include "rmw/error_handling.h"

/** Sets an error and runs `on_failure` if an object belongs to another middleware than the expected one. */
#define RMW_CHECK_TYPE_IDENTIFIERS_MATCH(element_name, element_identifier, expected_identifier, on_failure) \
  do { \
    if ((element_identifier) != (expected_identifier) && strcmp((element_identifier), (expected_identifier)) != 0) { \
      RMW_SET_ERROR_MSG_WITH_FORMAT_STRING( \
        "expected " #element_name " to be of the middleware '%s', found '%s'", \
        (expected_identifier), (element_identifier)); \
      on_failure; \
    } \
  } while (0)

#endif
