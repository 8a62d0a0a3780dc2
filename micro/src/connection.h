/* The beginning and the loss of a session. */
#ifndef SALTUS_CONNECTION_H
#define SALTUS_CONNECTION_H

#include "saltus/session.h"

/* Begins a session, which the agent has granted. */
void sal_connection_begin(saltus_session_t *session);

/* Gives up a session. The client then asks for another one. */
void sal_connection_lose(saltus_session_t *session);

#endif
