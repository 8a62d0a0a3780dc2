/*
 * The reliable stream from the agent. Messages are handled in order. Messages that came too early, and fragments, wait in
 * slots of `mtu` bytes and a length; the length is 0 if the slot is empty.
 */
#include <string.h>

#include "internal.h"

static uint8_t *slot_at(const saltus_session_t *session, uint16_t ahead) {
    const saltus_config_t *config = session->config;
    const uint32_t slot = ((uint32_t)session->in.slot + ahead) % config->history_in;
    return &config->reliable_in[slot * ((uint32_t)config->mtu + 2U)];
}

static uint16_t length_of(const saltus_session_t *session, const uint8_t *slot) {
    const uint8_t *length = &slot[session->config->mtu];
    return (uint16_t)(length[0] | ((uint16_t)length[1] << 8));
}

static void set_length(const saltus_session_t *session, uint8_t *slot, uint16_t length) {
    slot[session->config->mtu] = (uint8_t)(length & 0xFFU);
    slot[session->config->mtu + 1U] = (uint8_t)(length >> 8);
}

static void store(const saltus_session_t *session, uint16_t ahead, const uint8_t *message, uint16_t size) {
    uint8_t *slot = slot_at(session, ahead);
    if (length_of(session, slot) == 0U) {
        (void)memcpy(slot, message, size);
        set_length(session, slot, size);
    }
}

void saltus_incoming_reset(saltus_session_t *session) {
    const saltus_incoming_t empty = {0U, UINT16_MAX, HEADER_SIZE, 0U, false, false};
    session->in = empty;
    session->best_effort_in = UINT16_MAX;
    for (uint16_t i = 0U; i < session->config->history_in; i++) {
        set_length(session, slot_at(session, i), 0U);
    }
}

/* The message `next` is done, or is given up. */
static void advance(saltus_session_t *session) {
    set_length(session, slot_at(session, 0U), 0U);
    session->in.slot = (uint8_t)((session->in.slot + 1U) % session->config->history_in);
    session->in.next++;
    session->in.offset = HEADER_SIZE;
    if (is_before(session->in.last, (uint16_t)(session->in.next - 1U))) {
        session->in.last = (uint16_t)(session->in.next - 1U);
    }
}

uint16_t saltus_incoming_missing(const saltus_session_t *session) {
    const uint16_t known = (uint16_t)(session->in.last + 1U - session->in.next);
    uint16_t missing = 0U;
    for (uint16_t i = 0U; (i < 16U) && (i < known) && (i < session->config->history_in); i++) {
        if (length_of(session, slot_at(session, i)) == 0U) {
            missing = (uint16_t)(missing | (UINT32_C(1) << i));
        }
    }
    return missing;
}

void saltus_incoming_heartbeat(saltus_session_t *session, uint16_t first, uint16_t last) {
    uint32_t lost = 0U;
    while (is_before(session->in.next, first)) {
        /* What is stored was not handled either. */
        lost++;
        session->in.skips = true;
        advance(session);
    }
    if (is_before(session->in.last, last)) {
        session->in.last = last;
    }
    session->in.owes_acknowledgement = true;
    if (lost > 0U) {
        session->counters.lost_in += lost;
        saltus_tell(session, SALTUS_EVENT_LOST, lost);
    }
}

/* A message that does not begin with a fragment ends the dropping of fragments. */
static void end_skipping(saltus_session_t *session, const uint8_t *message) {
    if ((session->in.offset == HEADER_SIZE) && (message[HEADER_SIZE] != (uint8_t)FRAGMENT)) {
        session->in.skips = false;
    }
}

void saltus_incoming_receive(saltus_session_t *session, uint16_t sequence, uint8_t *message, uint16_t size) {
    const uint16_t ahead = (uint16_t)(sequence - session->in.next);
    session->in.owes_acknowledgement = true;
    if (ahead >= session->config->history_in) {
        /* It was handled before, or there is no slot for it. In both cases the agent learns it. */
        return;
    }
    if (is_before(session->in.last, sequence)) {
        session->in.last = sequence;
    }
    if ((ahead > 0U) || (length_of(session, slot_at(session, 0U)) > 0U)) {
        store(session, ahead, message, size);
        return;
    }
    /* The usual case: the message is handled where it was received. */
    session->in.offset = HEADER_SIZE;
    end_skipping(session, message);
    if (saltus_walk(session, message, size, &session->in.offset) == WALK_DONE) {
        advance(session);
    } else {
        store(session, 0U, message, size);
    }
}

/* The size of the payload of the submessage at `place`. */
static uint16_t payload_size(const uint8_t *place) {
    return (uint16_t)(place[2] | ((uint16_t)place[3] << 8));
}

/* Returns the fragment that the message `ahead` of `next` begins with, or, in `next`, the one at the offset. */
static uint8_t *fragment_at(const saltus_session_t *session, uint16_t ahead) {
    uint8_t *slot = slot_at(session, ahead);
    const uint32_t size = length_of(session, slot);
    const uint32_t offset = (ahead == 0U) ? session->in.offset : HEADER_SIZE;
    uint8_t *place = &slot[offset];
    if ((size < (offset + HEADER_SIZE)) || (place[0] != (uint8_t)FRAGMENT) ||
        (size < (offset + HEADER_SIZE + payload_size(place)))) {
        return NULL;
    }
    return place;
}

static bool is_last(const uint8_t *fragment) {
    return (fragment[1] & FLAG_LAST_FRAGMENT) != 0U;
}

/* The cursor over a submessage goes on in the next fragment. */
static bool take_fragment(saltus_cdr_t *cdr) {
    const saltus_session_t *session = cdr->pieces;
    if ((cdr->data != NULL) && is_last(fragment_at(session, cdr->piece))) {
        return false;
    }
    cdr->piece = (cdr->data == NULL) ? 0U : (uint16_t)(cdr->piece + 1U);
    uint8_t *fragment = fragment_at(session, cdr->piece);
    cdr->data = &fragment[HEADER_SIZE];
    cdr->left = payload_size(fragment);
    return cdr->left > 0U;
}

/* Continues behind the fragment at the offset. */
static void skip_fragment(saltus_session_t *session) {
    const uint8_t *fragment = &slot_at(session, 0U)[session->in.offset];
    const uint32_t end = (uint32_t)session->in.offset + HEADER_SIZE + payload_size(fragment);
    if (is_last(fragment)) {
        session->in.skips = false;
    }
    session->in.offset = (uint16_t)((end + 3U) & ~UINT32_C(3));
}

/* Handles the submessage in the fragments from the offset on; `count` is their number. Returns false if it has to wait. */
static bool handle_fragments(saltus_session_t *session, uint16_t count) {
    saltus_cdr_t cdr = saltus_cdr_counter();
    uint8_t subheader[HEADER_SIZE] = {0U, 0U, 0U, 0U};
    cdr.take_piece = take_fragment;
    cdr.pieces = session;
    saltus_cdr_read_bytes(&cdr, subheader, HEADER_SIZE);
    cdr.position = 0U;
    if (!saltus_handle(session, subheader[0], &cdr)) {
        return false;
    }
    for (uint16_t i = 1U; i < count; i++) {
        advance(session);
    }
    skip_fragment(session);
    return true;
}

/* Handles or drops what begins with the fragment at the offset. Returns false if more fragments must arrive. */
static bool take_fragments(saltus_session_t *session) {
    const uint16_t history = session->config->history_in;
    uint16_t count = 0U;
    while (!session->in.skips && (count < history) && (length_of(session, slot_at(session, count)) > 0U)) {
        const uint8_t *fragment = fragment_at(session, count);
        if (fragment == NULL) {
            saltus_unreadable(session, SALTUS_TRUNCATED);
            session->in.skips = true;
        } else if (is_last(fragment)) {
            return handle_fragments(session, (uint16_t)(count + 1U));
        } else {
            count++;
        }
    }
    if (count == history) {
        /* The stream can never hold the message. */
        session->counters.lost_in++;
        session->in.skips = true;
        saltus_tell(session, SALTUS_EVENT_LOST, 1U);
    }
    if (session->in.skips && (fragment_at(session, 0U) != NULL)) {
        skip_fragment(session);
        return true;
    }
    return false;
}

void saltus_incoming_drain(saltus_session_t *session) {
    bool goes_on = true;
    while (goes_on && (session->state == (uint8_t)STATE_CONNECTED)) {
        uint8_t *slot = slot_at(session, 0U);
        const uint16_t size = length_of(session, slot);
        if (size == 0U) {
            return;
        }
        end_skipping(session, slot);
        switch (saltus_walk(session, slot, size, &session->in.offset)) {
        case WALK_DONE:
            advance(session);
            break;
        case WALK_FRAGMENT:
            goes_on = take_fragments(session);
            break;
        default:
            goes_on = false;
            break;
        }
    }
}
