/* The streams to the agent. */
#ifndef SALTUS_OUTGOING_H
#define SALTUS_OUTGOING_H

#include "saltus/session.h"

/* Empties the streams for a new session. */
void sal_outgoing_reset(saltus_session_t *session);

/* Returns the number of messages that the reliable stream keeps. */
uint16_t sal_outgoing_kept(const saltus_session_t *session);

/* Returns whether a whole slot of the reliable stream is free. */
bool sal_outgoing_has_slot(const saltus_session_t *session);

/* Returns the number of the next request. */
uint16_t sal_outgoing_next_request(saltus_session_t *session);

/* Closes the transport. */
void sal_outgoing_close(saltus_session_t *session);

/* Sends a message at once. Returns false and closes the transport if that fails. */
bool sal_outgoing_send(saltus_session_t *session, const uint8_t *message, uint32_t size);

/* Begins a submessage of a known size in a stream. The cursor counts from the beginning of the payload. */
saltus_status_t sal_outgoing_begin(saltus_session_t *session, bool reliable, uint8_t kind, uint8_t flags, uint32_t size,
                                   saltus_cdr_t *cdr);

/* Ends the submessage that was begun last. It is sent now, or shares a message with later ones. */
saltus_status_t sal_outgoing_end(saltus_session_t *session, bool reliable);

/* Takes back the submessage that was begun last and is not sent. */
void sal_outgoing_undo(saltus_session_t *session, bool reliable);

/* Sets the time of the next heartbeat. */
void sal_outgoing_start_heartbeat(saltus_session_t *session);

/* Frees the messages before `first`. Sends again each message of which `missing` has a bit, counted from `first`. */
void sal_outgoing_acknowledge(saltus_session_t *session, uint16_t first, uint16_t missing);

#endif
