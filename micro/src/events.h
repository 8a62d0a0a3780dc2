/* The events that the application gets. */
#ifndef SALTUS_EVENTS_H
#define SALTUS_EVENTS_H

#include "saltus/session.h"

/* Calls the application's callback for an event. */
void sal_events_report(saltus_session_t *session, saltus_event_t event, uint32_t detail);

/* Counts and reports a message that could not be read. */
void sal_events_report_unreadable(saltus_session_t *session, saltus_status_t status);

#endif
