/* The messages of the agent: their streams, and the submessages in them. */
#include "receive.h"

#include "events.h"
#include "incoming.h"
#include "slot.h"
#include "submessage.h"
#include "wire.h"

/* The end of the handling of submessages. */
typedef enum walk {
    /* All were handled. */
    WALK_DONE,
    /* The next one must wait until the stream to the agent has room. */
    WALK_HELD,
    /* The next one is a fragment. */
    WALK_FRAGMENT
} walk_t;

/* Handles the submessages from an offset on. Sets the offset to that of the first one that is not handled. */
static walk_t walk(saltus_session_t *session, uint8_t *message, uint16_t size, uint16_t *offset) {
    while (((uint32_t)*offset + HEADER_SIZE) <= size) {
        const uint8_t *subheader = &message[*offset];
        const uint32_t begin = (uint32_t)*offset + HEADER_SIZE;
        const uint32_t length = sal_wire_payload_size(subheader);
        if (length > (size - begin)) {
            sal_events_report_unreadable(session, SALTUS_TRUNCATED);
            return WALK_DONE;
        }
        if (subheader[0] == (uint8_t)FRAGMENT) {
            return WALK_FRAGMENT;
        }
        saltus_cdr_t cdr = saltus_cdr_over(&message[begin], length);
        if (!sal_submessage_handle(session, subheader[0], &cdr)) {
            return WALK_HELD;
        }
        *offset = (uint16_t)sal_wire_align(begin + length);
    }
    return WALK_DONE;
}

/* Handles a message of the best-effort stream, unless a later one arrived before it. */
static void receive_best_effort(saltus_session_t *session, uint16_t sequence, uint8_t *message, uint16_t size) {
    uint16_t offset = HEADER_SIZE;
    if (sal_wire_is_before(session->best_effort_in, sequence)) {
        session->best_effort_in = sequence;
        if (walk(session, message, size, &offset) != WALK_DONE) {
            /* Nothing can wait in this stream, and fragments don't belong there. */
            sal_events_report_unreadable(session, SALTUS_FULL);
        }
    }
}

/* Handles the submessage in the fragments from the offset on, or drops it. Returns false if it has to wait. */
static bool handle_fragments(saltus_session_t *session) {
    uint8_t subheader[HEADER_SIZE] = {0U, 0U, 0U, 0U};
    saltus_cdr_t cdr;
    const uint16_t count = sal_incoming_collect_fragments(session, &cdr);
    if (count == 0U) {
        return sal_incoming_drop_fragment(session);
    }
    saltus_cdr_read_bytes(&cdr, subheader, HEADER_SIZE);
    cdr.position = 0U;
    if (!sal_submessage_handle(session, subheader[0], &cdr)) {
        return false;
    }
    sal_incoming_end_fragments(session, count);
    return true;
}

/* Handles a message of the reliable stream, or stores it. */
static void receive_reliable(saltus_session_t *session, uint16_t sequence, uint8_t *message, uint16_t size) {
    if (sal_incoming_take(session, sequence, message, size)) {
        if (walk(session, message, size, &session->in.offset) == WALK_DONE) {
            sal_incoming_advance(session);
        } else {
            sal_incoming_store(session, 0U, message, size);
        }
    }
}

/* Handles the stored messages of the reliable stream, as far as possible. */
static void handle_stored(saltus_session_t *session) {
    bool goes_on = true;
    while (goes_on && (session->state == (uint8_t)STATE_CONNECTED)) {
        uint8_t *message = sal_incoming_next(session);
        if (message == NULL) {
            return;
        }
        switch (walk(session, message, sal_slot_length(session, message), &session->in.offset)) {
        case WALK_DONE:
            sal_incoming_advance(session);
            break;
        case WALK_FRAGMENT:
            goes_on = handle_fragments(session);
            break;
        default:
            goes_on = false;
            break;
        }
    }
}

void sal_receive_message(saltus_session_t *session, uint8_t *message, uint16_t size) {
    if ((size < (2U * HEADER_SIZE)) || (message[0] != session->id) || (session->state == (uint8_t)STATE_ENDED)) {
        return;
    }
    const uint8_t stream = message[1];
    const uint16_t sequence = sal_wire_get_uint16(&message[2]);
    session->pings = 0U;
    session->ping_at = session->config->now() + ((int64_t)session->config->ping_ms * SALTUS_MILLISECOND);
    session->in_stream = stream != STREAM_NONE;
    if (!session->in_stream) {
        uint16_t offset = HEADER_SIZE;
        (void)walk(session, message, size, &offset);
    } else if (session->state != (uint8_t)STATE_CONNECTED) {
        /* A message of an earlier session. */
    } else if (stream < STREAM_RELIABLE) {
        receive_best_effort(session, sequence, message, size);
    } else {
        receive_reliable(session, sequence, message, size);
    }
    session->in_stream = true;
    handle_stored(session);
}
