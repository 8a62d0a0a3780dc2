/* Messages to the agent outside of streams. */
#ifndef SALTUS_CONTROL_H
#define SALTUS_CONTROL_H

#include "saltus/session.h"

/* Asks the agent for a session. */
void sal_control_send_login(saltus_session_t *session);

/* Asks the agent to end the session. */
void sal_control_send_logout(saltus_session_t *session);

/* Asks the agent whether it is there. */
void sal_control_send_ping(saltus_session_t *session);

/* Answers the question of the agent whether the device is there. */
void sal_control_send_presence(saltus_session_t *session, uint16_t request, uint16_t object);

/* Asks the agent for an acknowledgement. */
void sal_control_send_heartbeat(saltus_session_t *session);

/* Acknowledges the messages that arrived in the reliable stream. */
void sal_control_send_acknowledgement(saltus_session_t *session);

#endif
