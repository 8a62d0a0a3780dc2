/* What the session does with messages of the agent. */
#include "internal.h"

/* Two cheap clocks drift apart by a part in this number at most: 200 ppm. */
#define LARGEST_DRIFT 5000

void saltus_tell(saltus_session_t *session, saltus_event_t event, uint32_t detail) {
    if (session->config->on_event != NULL) {
        session->config->on_event(session, event, detail);
    }
}

void saltus_unreadable(saltus_session_t *session, saltus_status_t status) {
    session->counters.unreadable++;
    saltus_tell(session, SALTUS_EVENT_UNREADABLE, (uint32_t)status);
}

void saltus_lose_session(saltus_session_t *session) {
    const uint16_t kept = saltus_outgoing_kept(session);
    session->state = (uint8_t)STATE_CONNECTING;
    session->connect_at = session->config->now();
    session->attempts = 0U;
    session->is_ready = false;
    session->heartbeat_at = INT64_MAX;
    session->counters.lost_out += kept;
    saltus_outgoing_reset(session);
    saltus_forget_entities(session);
    saltus_tell(session, SALTUS_EVENT_DISCONNECTED, kept);
}

static void handle_login(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint8_t status = saltus_cdr_read_uint8(cdr);
    if ((session->state != (uint8_t)STATE_CONNECTING) || (cdr->status != SALTUS_OK)) {
        return;
    }
    if (status > 1U) {
        saltus_tell(session, SALTUS_EVENT_REFUSED, status);
        return;
    }
    session->state = (uint8_t)STATE_CONNECTED;
    session->connection++;
    session->counters.connections++;
    session->time_at = session->config->now();
    session->asked_time = INT64_MIN;
    /* Another host may have another time. */
    session->has_time = false;
    saltus_outgoing_reset(session);
    saltus_incoming_reset(session);
    saltus_forget_entities(session);
    saltus_tell(session, SALTUS_EVENT_CONNECTED, session->counters.connections);
}

static void handle_status(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint16_t request = saltus_read_id(cdr);
    const uint16_t object = saltus_read_id(cdr);
    const uint8_t status = saltus_cdr_read_uint8(cdr);
    if (cdr->status != SALTUS_OK) {
        saltus_unreadable(session, cdr->status);
    } else if (object != OBJECT_CLIENT) {
        saltus_entity_status(session, object, status);
    } else if ((request != REQUEST_LOGOUT) && (status == UNKNOWN_REFERENCE) &&
               (session->state == (uint8_t)STATE_CONNECTED)) {
        saltus_lose_session(session);
    } else {
        /* The answer to the end of the session. */
    }
}

static void handle_acknowledgement(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint16_t first = saltus_read_uint16(cdr);
    const uint16_t missing = saltus_read_id(cdr);
    const uint8_t stream = saltus_cdr_read_uint8(cdr);
    if ((cdr->status == SALTUS_OK) && (stream == STREAM_RELIABLE) && (session->state == (uint8_t)STATE_CONNECTED)) {
        saltus_outgoing_acknowledge(session, first, missing);
    }
}

static void handle_heartbeat(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint16_t first = saltus_read_uint16(cdr);
    const uint16_t last = saltus_read_uint16(cdr);
    const uint8_t stream = saltus_cdr_read_uint8(cdr);
    if ((cdr->status == SALTUS_OK) && (stream == STREAM_RELIABLE) && (session->state == (uint8_t)STATE_CONNECTED)) {
        saltus_incoming_heartbeat(session, first, last);
    }
}

static void handle_info(saltus_session_t *session, saltus_cdr_t *cdr) {
    uint8_t head[6] = {0U, 0U, 0U, 0U, 0U, 1U};
    saltus_cdr_read_bytes(cdr, head, sizeof(head));
    if ((head[5] != 1U) && (session->state == (uint8_t)STATE_CONNECTED)) {
        saltus_lose_session(session);
    }
}

static void handle_question(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint16_t request = saltus_read_id(cdr);
    const uint16_t object = saltus_read_id(cdr);
    if (cdr->status == SALTUS_OK) {
        saltus_send_presence(session, request, object);
    }
}

static int64_t read_time(saltus_cdr_t *cdr) {
    const int64_t seconds = (int32_t)saltus_cdr_read_uint32(cdr);
    const int64_t nanoseconds = saltus_cdr_read_uint32(cdr);
    return (seconds * SALTUS_SECOND) + nanoseconds;
}

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
    saltus_tell(session, SALTUS_EVENT_TIME, (uint32_t)(round_trip / 1000));
}

/* Handles what only comes outside of streams. */
static void handle_control(saltus_session_t *session, uint8_t kind, saltus_cdr_t *cdr) {
    switch (kind) {
    case STATUS_AGENT:
        handle_login(session, cdr);
        break;
    case ACKNACK:
        handle_acknowledgement(session, cdr);
        break;
    case HEARTBEAT:
        handle_heartbeat(session, cdr);
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
        saltus_unreadable(session, SALTUS_INVALID);
        break;
    }
}

bool saltus_handle(saltus_session_t *session, uint8_t kind, saltus_cdr_t *cdr) {
    bool is_handled = true;
    if (kind == (uint8_t)DATA) {
        is_handled = saltus_entity_data(session, cdr);
    } else if (kind == (uint8_t)STATUS) {
        handle_status(session, cdr);
    } else if (!session->in_stream) {
        handle_control(session, kind, cdr);
    } else {
        saltus_unreadable(session, SALTUS_INVALID);
    }
    return is_handled;
}

walk_t saltus_walk(saltus_session_t *session, uint8_t *message, uint16_t size, uint16_t *offset) {
    while (((uint32_t)*offset + HEADER_SIZE) <= size) {
        const uint8_t *place = &message[*offset];
        const uint32_t begin = (uint32_t)*offset + HEADER_SIZE;
        const uint32_t length = (uint32_t)place[2] | ((uint32_t)place[3] << 8);
        if (length > (size - begin)) {
            saltus_unreadable(session, SALTUS_TRUNCATED);
            return WALK_DONE;
        }
        if (place[0] == (uint8_t)FRAGMENT) {
            return WALK_FRAGMENT;
        }
        saltus_cdr_t cdr = saltus_cdr_over(&message[begin], length);
        if (!saltus_handle(session, place[0], &cdr)) {
            return WALK_HELD;
        }
        *offset = (uint16_t)((begin + length + 3U) & ~UINT32_C(3));
    }
    return WALK_DONE;
}

static void receive_best_effort(saltus_session_t *session, uint16_t sequence, uint8_t *message, uint16_t size) {
    uint16_t offset = HEADER_SIZE;
    if (is_before(session->best_effort_in, sequence)) {
        session->best_effort_in = sequence;
        if (saltus_walk(session, message, size, &offset) != WALK_DONE) {
            /* Nothing can wait in this stream, and fragments don't belong there. */
            saltus_unreadable(session, SALTUS_FULL);
        }
    }
}

void saltus_receive(saltus_session_t *session, uint8_t *message, uint16_t size) {
    if ((size < (2U * HEADER_SIZE)) || (message[0] != session->id) || (session->state == (uint8_t)STATE_ENDED)) {
        return;
    }
    const uint8_t stream = message[1];
    const uint16_t sequence = (uint16_t)(message[2] | ((uint16_t)message[3] << 8));
    session->pings = 0U;
    session->ping_at = session->config->now() + ((int64_t)session->config->ping_ms * SALTUS_MILLISECOND);
    session->in_stream = stream != STREAM_NONE;
    if (!session->in_stream) {
        uint16_t offset = HEADER_SIZE;
        (void)saltus_walk(session, message, size, &offset);
    } else if (session->state != (uint8_t)STATE_CONNECTED) {
        /* A message of an earlier session. */
    } else if (stream < STREAM_RELIABLE) {
        receive_best_effort(session, sequence, message, size);
    } else {
        saltus_incoming_receive(session, sequence, message, size);
    }
    session->in_stream = true;
    saltus_incoming_drain(session);
}
