/* The streams to the agent. A reliable stream keeps each message in a slot until the agent has acknowledged it. */
#include "outgoing.h"

#include "slot.h"

/* Returns the slot of a message that is kept, or of the next one. */
static uint8_t *slot_of(const saltus_session_t *session, uint16_t sequence) {
    const saltus_config_t *config = session->config;
    const uint32_t ahead = (uint16_t)(sequence - session->out.first);
    const uint32_t slot = (session->out.slot + ahead) % config->history_out;
    return &config->reliable_out[slot * ((uint32_t)config->mtu + 2U)];
}

void sal_outgoing_reset(saltus_session_t *session) {
    const saltus_outgoing_t empty = {0U, 0U, 0U, 0U, 0U, 0U};
    session->out = empty;
    session->best_effort_out = 0U;
}

uint16_t sal_outgoing_kept(const saltus_session_t *session) {
    return (uint16_t)(session->out.next - session->out.first);
}

bool sal_outgoing_has_slot(const saltus_session_t *session) {
    return sal_outgoing_kept(session) < session->config->history_out;
}

uint16_t sal_outgoing_next_request(saltus_session_t *session) {
    const uint16_t request = session->next_request;
    session->next_request = (request == UINT16_MAX) ? REQUEST_FIRST : (uint16_t)(request + 1U);
    return request;
}

void sal_outgoing_close(saltus_session_t *session) {
    session->config->transport->close(session->config->transport);
    session->is_open = false;
}

bool sal_outgoing_send(saltus_session_t *session, const uint8_t *message, uint32_t size) {
    saltus_transport_t *transport = session->config->transport;
    if (session->is_open && !transport->write(transport, message, size)) {
        sal_outgoing_close(session);
    }
    return session->is_open;
}

/* Takes the next slot, which must be free, and writes the header of its message. */
static uint8_t *take_slot(saltus_session_t *session) {
    uint8_t *slot = slot_of(session, session->out.next);
    sal_wire_write_header(slot, session->id, STREAM_RELIABLE, session->out.next);
    sal_slot_set_length(session, slot, HEADER_SIZE);
    session->out.next++;
    return slot;
}

/* Appends a submessage to the message in a slot. It must fit. Returns its payload. */
static uint8_t *append(saltus_session_t *session, uint8_t *slot, uint8_t kind, uint8_t flags, uint32_t size) {
    const uint32_t offset = sal_wire_align(sal_slot_length(session, slot));
    const uint32_t payload = offset + HEADER_SIZE;
    sal_wire_write_subheader(&slot[offset], kind, flags, size);
    sal_slot_set_length(session, slot, payload + size);
    return &slot[payload];
}

/* The cursor over a fragmented submessage goes on in the next slot. */
static bool take_fragment(saltus_cdr_t *cdr) {
    const saltus_session_t *session = cdr->pieces;
    const uint16_t sequence = (uint16_t)(cdr->piece + 1U);
    if (!sal_wire_is_before(sequence, session->out.next)) {
        return false;
    }
    uint8_t *slot = slot_of(session, sequence);
    cdr->piece = sequence;
    cdr->data = &slot[2U * HEADER_SIZE];
    cdr->left = (uint32_t)sal_slot_length(session, slot) - (2U * HEADER_SIZE);
    return true;
}

/* Begins a submessage in fragments: `size` counts its own header. */
static saltus_status_t begin_fragments(saltus_session_t *session, uint8_t kind, uint8_t flags, uint32_t size,
                                       saltus_cdr_t *cdr) {
    const uint32_t largest = (uint32_t)session->config->mtu - (2U * HEADER_SIZE);
    const uint32_t whole = size + HEADER_SIZE;
    const uint32_t count = (whole + largest - 1U) / largest;
    const uint16_t first = session->out.next;
    uint8_t subheader[HEADER_SIZE];
    if (count > session->config->history_out) {
        return SALTUS_TOO_LONG;
    }
    if (count > ((uint32_t)session->config->history_out - sal_outgoing_kept(session))) {
        return SALTUS_FULL;
    }
    for (uint32_t i = 0U; i < count; i++) {
        const bool is_last = (i + 1U) == count;
        const uint32_t part = is_last ? (whole - (i * largest)) : largest;
        (void)append(session, take_slot(session), FRAGMENT, is_last ? FLAG_LAST_FRAGMENT : 0U, part);
    }
    *cdr = saltus_cdr_counter();
    cdr->take_piece = take_fragment;
    cdr->pieces = session;
    cdr->piece = (uint16_t)(first - 1U);
    sal_wire_write_subheader(subheader, kind, flags, size);
    saltus_cdr_write_bytes(cdr, subheader, HEADER_SIZE);
    cdr->position = 0U;
    return SALTUS_OK;
}

/* Returns the slot of the last message if that is not sent and has room for a submessage. Returns `NULL` otherwise. */
static uint8_t *slot_with_room(saltus_session_t *session, uint32_t size) {
    if (session->out.unsent == session->out.next) {
        return NULL;
    }
    uint8_t *slot = slot_of(session, (uint16_t)(session->out.next - 1U));
    session->out.begun_length = sal_slot_length(session, slot);
    const uint32_t end = sal_wire_align(session->out.begun_length) + HEADER_SIZE + size;
    return (end <= session->config->mtu) ? slot : NULL;
}

/* Begins a submessage in the reliable stream. */
static saltus_status_t begin_reliable(saltus_session_t *session, uint8_t kind, uint8_t flags, uint32_t size,
                                      saltus_cdr_t *cdr) {
    uint8_t *slot = slot_with_room(session, size);
    session->out.begun = session->out.next;
    if (slot == NULL) {
        if (((2U * HEADER_SIZE) + size) > session->config->mtu) {
            return begin_fragments(session, kind, flags, size, cdr);
        }
        if (!sal_outgoing_has_slot(session)) {
            return SALTUS_FULL;
        }
        slot = take_slot(session);
    }
    *cdr = saltus_cdr_over(append(session, slot, kind, flags, size), size);
    return SALTUS_OK;
}

/* Begins a submessage in the best-effort stream. */
static saltus_status_t begin_best_effort(saltus_session_t *session, uint8_t kind, uint8_t flags, uint32_t size,
                                         saltus_cdr_t *cdr) {
    uint8_t *message = session->config->best_effort;
    if (message == NULL) {
        return SALTUS_INVALID;
    }
    if (((2U * HEADER_SIZE) + size) > session->config->mtu) {
        return SALTUS_TOO_LONG;
    }
    sal_wire_write_header(message, session->id, STREAM_BEST_EFFORT, session->best_effort_out);
    sal_wire_write_subheader(&message[HEADER_SIZE], kind, flags, size);
    *cdr = saltus_cdr_over(&message[2U * HEADER_SIZE], size);
    return SALTUS_OK;
}

saltus_status_t sal_outgoing_begin(saltus_session_t *session, bool reliable, uint8_t kind, uint8_t flags, uint32_t size,
                                   saltus_cdr_t *cdr) {
    return reliable ? begin_reliable(session, kind, flags, size, cdr)
                    : begin_best_effort(session, kind, flags, size, cdr);
}

void sal_outgoing_start_heartbeat(saltus_session_t *session) {
    session->heartbeat_at = session->config->now() + ((int64_t)session->config->heartbeat_ms * SALTUS_MILLISECOND);
}

saltus_status_t saltus_flush(saltus_session_t *session) {
    while (session->out.unsent != session->out.next) {
        const uint8_t *slot = slot_of(session, session->out.unsent);
        if (!sal_outgoing_send(session, slot, sal_slot_length(session, slot))) {
            return SALTUS_TRANSPORT;
        }
        session->out.unsent++;
        if (session->heartbeat_at == INT64_MAX) {
            sal_outgoing_start_heartbeat(session);
        }
    }
    return SALTUS_OK;
}

saltus_status_t sal_outgoing_end(saltus_session_t *session, bool reliable) {
    if (!reliable) {
        const uint8_t *message = session->config->best_effort;
        const uint32_t payload = sal_wire_payload_size(&message[HEADER_SIZE]);
        session->best_effort_out++;
        return sal_outgoing_send(session, message, (2U * HEADER_SIZE) + payload) ? SALTUS_OK : SALTUS_TRANSPORT;
    }
    /* Submessages of callbacks share messages. The session sends them when the callbacks have returned. */
    return (session->config->packs || session->spins) ? SALTUS_OK : saltus_flush(session);
}

void sal_outgoing_undo(saltus_session_t *session, bool reliable) {
    if (!reliable) {
        return;
    }
    if (session->out.next != session->out.begun) {
        session->out.next = session->out.begun;
    } else {
        uint8_t *slot = slot_of(session, (uint16_t)(session->out.next - 1U));
        sal_slot_set_length(session, slot, session->out.begun_length);
    }
}

void sal_outgoing_acknowledge(saltus_session_t *session, uint16_t first, uint16_t missing) {
    const uint16_t acknowledged = (uint16_t)(first - session->out.first);
    const uint16_t sent = (uint16_t)(session->out.unsent - session->out.first);
    if (acknowledged > sent) {
        return;
    }
    session->out.slot = (uint8_t)((session->out.slot + acknowledged) % session->config->history_out);
    session->out.first = first;
    for (uint16_t i = 0U; (i < 16U) && (i < (uint16_t)(sent - acknowledged)); i++) {
        if (((uint32_t)missing & (UINT32_C(1) << i)) != 0U) {
            const uint8_t *slot = slot_of(session, (uint16_t)(first + i));
            (void)sal_outgoing_send(session, slot, sal_slot_length(session, slot));
        }
    }
    session->heartbeat_at = INT64_MAX;
    if (session->out.first != session->out.unsent) {
        sal_outgoing_start_heartbeat(session);
    }
}
