/* The submessages of the agent. */
#ifndef SALTUS_SUBMESSAGE_H
#define SALTUS_SUBMESSAGE_H

#include "saltus/session.h"

/* Handles the payload of a submessage. Returns false if the submessage has to wait. */
bool sal_submessage_handle(saltus_session_t *session, uint8_t kind, saltus_cdr_t *cdr);

#endif
