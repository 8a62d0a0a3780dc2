/* The reliable stream from the agent: the messages that it keeps, and their order. */
#ifndef SALTUS_INCOMING_H
#define SALTUS_INCOMING_H

#include "saltus/session.h"

/* Empties the stream for a new session. */
void sal_incoming_reset(saltus_session_t *session);

/* Returns a bit for each message from `next` on that exists and did not arrive. */
uint16_t sal_incoming_missing(const saltus_session_t *session);

/* Handles a heartbeat: the agent keeps the messages from `first` to `last`. Earlier ones are lost. */
void sal_incoming_heartbeat(saltus_session_t *session, uint16_t first, uint16_t last);

/* Takes a message that arrived. Returns true if the caller handles it now. A message that is too early is stored. */
bool sal_incoming_take(saltus_session_t *session, uint16_t sequence, const uint8_t *message, uint16_t size);

/* Stores the message that is `ahead` messages after `next`, unless it is stored. */
void sal_incoming_store(const saltus_session_t *session, uint16_t ahead, const uint8_t *message, uint16_t size);

/* Returns the slot of the message `next`, or `NULL` if the message did not arrive. */
uint8_t *sal_incoming_next(saltus_session_t *session);

/* Ends the message `next`, which is handled. */
void sal_incoming_advance(saltus_session_t *session);

/* Sets a cursor over the fragments from the offset on. Returns their number, or 0 if the last one did not arrive. */
uint16_t sal_incoming_collect_fragments(saltus_session_t *session, saltus_cdr_t *cdr);

/* Continues after fragments that are handled. */
void sal_incoming_end_fragments(saltus_session_t *session, uint16_t count);

/* Drops the fragment at the offset if its submessage is lost. Returns false if it is not. */
bool sal_incoming_drop_fragment(saltus_session_t *session);

#endif
