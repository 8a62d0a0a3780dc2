/* The messages of the agent. */
#ifndef SALTUS_RECEIVE_H
#define SALTUS_RECEIVE_H

#include "saltus/session.h"

/* Handles a message that has arrived, and those that waited for it. */
void sal_receive_message(saltus_session_t *session, uint8_t *message, uint16_t size);

#endif
