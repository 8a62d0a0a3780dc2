/**
 * The applications: the same source runs on Linux and on every microcontroller. A platform calls `app_init` once, and
 * then spins the session.
 */
#ifndef APP_H
#define APP_H

#include "saltus/saltus.h"

/** The longest message, and the history, of the applications. */
#define APP_MTU 512U
#define APP_HISTORY 4U

/** Fills in the memory of a configuration, and what all applications have in common. The platform sets the rest. */
void app_configure(saltus_config_t *config);

/** Adds the entities of the application to a session. */
saltus_status_t app_init(saltus_session_t *session);

/** Prints a line. The platform defines it. */
void app_print(const char *line);

#endif
