/* The beginning and the loss of a session. */
#include "connection.h"

#include "constants.h"
#include "create.h"
#include "events.h"
#include "incoming.h"
#include "outgoing.h"

void sal_connection_begin(saltus_session_t *session) {
    session->state = (uint8_t)STATE_CONNECTED;
    session->connection++;
    session->counters.connections++;
    session->time_at = session->config->now();
    session->asked_time = INT64_MIN;
    /* Another host may have another time. */
    session->has_time = false;
    sal_outgoing_reset(session);
    sal_incoming_reset(session);
    sal_create_reset(session);
    sal_events_report(session, SALTUS_EVENT_CONNECTED, session->counters.connections);
}

void sal_connection_lose(saltus_session_t *session) {
    const uint16_t kept = sal_outgoing_kept(session);
    session->state = (uint8_t)STATE_CONNECTING;
    session->connect_at = session->config->now();
    session->attempts = 0U;
    session->is_ready = false;
    session->heartbeat_at = INT64_MAX;
    session->counters.lost_out += kept;
    sal_outgoing_reset(session);
    sal_create_reset(session);
    sal_events_report(session, SALTUS_EVENT_DISCONNECTED, kept);
}
