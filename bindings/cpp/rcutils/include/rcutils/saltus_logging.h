/** What Saltus adds to logging, for its own libraries. ROS 2 does not have this header. */
#ifndef RCUTILS_SALTUS_LOGGING_H_
#define RCUTILS_SALTUS_LOGGING_H_

#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Takes the new level of a logger; the name "" is the default level, and the level 0 removes the level of others. */
typedef void (* saltus_rcutils_level_hook_t)(const char * name, int level);

/**
 * Sets the function that hears of each change of a level, and tells it all present levels. NULL removes it.
 *
 * It is called without locks, so that it may use all functions of rcutils/logging.h. Two threads that change the
 * level of one logger at the same time may be heard in either order.
 */
RCUTILS_PUBLIC void saltus_rcutils_set_level_hook(saltus_rcutils_level_hook_t hook);

#ifdef __cplusplus
}
#endif

#endif
