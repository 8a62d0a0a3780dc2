/* The creation and removal of entities in the agent. */
#ifndef SALTUS_CREATE_H
#define SALTUS_CREATE_H

#include "saltus/session.h"

/* Asks the agent for the entities that it was not asked for, as far as the stream has room. */
void sal_create_entities(saltus_session_t *session);

/* Marks all entities as new, because a session begins or has ended. */
void sal_create_reset(saltus_session_t *session);

/* Handles the agent's answer to the creation of an object. */
void sal_create_handle_status(saltus_session_t *session, uint16_t object, uint8_t status);

#endif
