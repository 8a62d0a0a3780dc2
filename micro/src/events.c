/* The events that the application gets. */
#include "events.h"

void sal_events_report(saltus_session_t *session, saltus_event_t event, uint32_t detail) {
    if (session->config->on_event != NULL) {
        session->config->on_event(session, event, detail);
    }
}

void sal_events_report_unreadable(saltus_session_t *session, saltus_status_t status) {
    session->counters.unreadable++;
    sal_events_report(session, SALTUS_EVENT_UNREADABLE, (uint32_t)status);
}
