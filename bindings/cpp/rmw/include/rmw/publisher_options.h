#ifndef RMW_PUBLISHER_OPTIONS_H_
#define RMW_PUBLISHER_OPTIONS_H_

#include "rmw/macros.h"
#include "rmw/types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns options with the defaults. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_publisher_options_t rmw_get_default_publisher_options(void);

#ifdef __cplusplus
}
#endif

#endif
