/* The submessages of the agent. */
#include "submessage.h"

#include "connection.h"
#include "control.h"
#include "create.h"
#include "data.h"
#include "events.h"
#include "incoming.h"
#include "outgoing.h"
#include "wire.h"

/* Two cheap clocks drift apart by a part in this number at most: 200 ppm. */
#define LARGEST_DRIFT 5000

/* Handles the answer to the request for a session. */
static void handle_login(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint8_t status = saltus_cdr_read_uint8(cdr);
    if ((session->state != (uint8_t)STATE_CONNECTING) || (cdr->status != SALTUS_OK)) {
        return;
    }
    if (status > 1U) {
        sal_events_report(session, SALTUS_EVENT_REFUSED, status);
        return;
    }
    sal_connection_begin(session);
}

/* Handles the answer to a request. */
static void handle_status(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint16_t request = sal_wire_read_id(cdr);
    const uint16_t object = sal_wire_read_id(cdr);
    const uint8_t status = saltus_cdr_read_uint8(cdr);
    if (cdr->status != SALTUS_OK) {
        sal_events_report_unreadable(session, cdr->status);
    } else if (object != OBJECT_CLIENT) {
        sal_create_handle_status(session, object, status);
    } else if ((request != REQUEST_LOGOUT) && (status == UNKNOWN_REFERENCE) &&
               (session->state == (uint8_t)STATE_CONNECTED)) {
        sal_connection_lose(session);
    } else {
        /* The answer to the end of the session. */
    }
}

/* Handles an acknowledgement or a heartbeat. Both have two numbers and the stream that they are about. */
static void handle_stream(saltus_session_t *session, bool is_heartbeat, saltus_cdr_t *cdr) {
    const uint16_t first = sal_wire_read_uint16(cdr);
    const uint16_t second = is_heartbeat ? sal_wire_read_uint16(cdr) : sal_wire_read_id(cdr);
    const uint8_t stream = saltus_cdr_read_uint8(cdr);
    if ((cdr->status != SALTUS_OK) || (stream != STREAM_RELIABLE) || (session->state != (uint8_t)STATE_CONNECTED)) {
        return;
    }
    if (is_heartbeat) {
        sal_incoming_heartbeat(session, first, second);
    } else {
        sal_outgoing_acknowledge(session, first, second);
    }
}

/* Handles the answer to a ping, which says whether the agent knows the session. */
static void handle_info(saltus_session_t *session, saltus_cdr_t *cdr) {
    uint8_t head[6] = {0U, 0U, 0U, 0U, 0U, 1U};
    saltus_cdr_read_bytes(cdr, head, sizeof(head));
    if ((head[5] != 1U) && (session->state == (uint8_t)STATE_CONNECTED)) {
        sal_connection_lose(session);
    }
}

/* Answers the question whether the device is there. */
static void handle_question(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint16_t request = sal_wire_read_id(cdr);
    const uint16_t object = sal_wire_read_id(cdr);
    if (cdr->status == SALTUS_OK) {
        sal_control_send_presence(session, request, object);
    }
}

/* Reads a time, and returns it in nanoseconds. */
static int64_t read_time(saltus_cdr_t *cdr) {
    const int64_t seconds = (int32_t)saltus_cdr_read_uint32(cdr);
    const int64_t nanoseconds = saltus_cdr_read_uint32(cdr);
    return (seconds * SALTUS_SECOND) + nanoseconds;
}

/* Handles the answer to a question for the time. */
static void handle_time(saltus_session_t *session, saltus_cdr_t *cdr) {
    const int64_t arrived = session->config->now();
    const int64_t sent = read_time(cdr);
    const int64_t received = read_time(cdr);
    const int64_t asked = read_time(cdr);
    /* A late answer to an earlier question is not taken for the answer to this one. */
    if ((cdr->status != SALTUS_OK) || (asked != session->asked_time)) {
        return;
    }
    session->asked_time = INT64_MIN;
    /* The offset is wrong by half of the round trip at most, and by what the clocks have drifted apart since. */
    const int64_t round_trip = arrived - asked;
    const int64_t drift = (arrived - session->measured_at) / LARGEST_DRIFT;
    if (!session->has_time || (round_trip <= (session->round_trip + drift))) {
        session->offset = ((asked - received) + (arrived - sent)) / 2;
        session->round_trip = round_trip;
        session->measured_at = arrived;
        session->has_time = true;
    }
    sal_events_report(session, SALTUS_EVENT_TIME, (uint32_t)(round_trip / 1000));
}

/* Handles a submessage that only comes outside of streams. */
static void handle_control(saltus_session_t *session, uint8_t kind, saltus_cdr_t *cdr) {
    switch (kind) {
    case STATUS_AGENT:
        handle_login(session, cdr);
        break;
    case ACKNACK:
    case HEARTBEAT:
        handle_stream(session, kind == (uint8_t)HEARTBEAT, cdr);
        break;
    case TIMESTAMP_REPLY:
        handle_time(session, cdr);
        break;
    case GET_INFO:
        handle_question(session, cdr);
        break;
    case INFO:
        handle_info(session, cdr);
        break;
    default:
        sal_events_report_unreadable(session, SALTUS_INVALID);
        break;
    }
}

bool sal_submessage_handle(saltus_session_t *session, uint8_t kind, saltus_cdr_t *cdr) {
    bool is_handled = true;
    if (kind == (uint8_t)DATA) {
        is_handled = sal_data_handle(session, cdr);
    } else if (kind == (uint8_t)STATUS) {
        handle_status(session, cdr);
    } else if (!session->in_stream) {
        handle_control(session, kind, cdr);
    } else {
        sal_events_report_unreadable(session, SALTUS_INVALID);
    }
    return is_handled;
}
