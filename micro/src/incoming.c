/*
 * The reliable stream from the agent. Messages are handled in order. Messages that came too early, and fragments, wait
 * in slots. The length of an empty slot is 0.
 */
#include "incoming.h"

#include <string.h>

#include "events.h"
#include "slot.h"

/* Returns the slot of the message that is `ahead` messages after `next`. */
static uint8_t *slot_at(const saltus_session_t *session, uint16_t ahead) {
    const saltus_config_t *config = session->config;
    const uint32_t slot = ((uint32_t)session->in.slot + ahead) % config->history_in;
    return &config->reliable_in[slot * ((uint32_t)config->mtu + 2U)];
}

void sal_incoming_store(const saltus_session_t *session, uint16_t ahead, const uint8_t *message, uint16_t size) {
    uint8_t *slot = slot_at(session, ahead);
    if (sal_slot_length(session, slot) == 0U) {
        (void)memcpy(slot, message, size);
        sal_slot_set_length(session, slot, size);
    }
}

void sal_incoming_reset(saltus_session_t *session) {
    const saltus_incoming_t empty = {0U, UINT16_MAX, HEADER_SIZE, 0U, false, false};
    session->in = empty;
    session->best_effort_in = UINT16_MAX;
    for (uint16_t i = 0U; i < session->config->history_in; i++) {
        sal_slot_set_length(session, slot_at(session, i), 0U);
    }
}

/* Notes that a message exists. */
static void note_existing(saltus_session_t *session, uint16_t sequence) {
    if (sal_wire_is_before(session->in.last, sequence)) {
        session->in.last = sequence;
    }
}

void sal_incoming_advance(saltus_session_t *session) {
    sal_slot_set_length(session, slot_at(session, 0U), 0U);
    session->in.slot = (uint8_t)((session->in.slot + 1U) % session->config->history_in);
    note_existing(session, session->in.next);
    session->in.next++;
    session->in.offset = HEADER_SIZE;
}

uint16_t sal_incoming_missing(const saltus_session_t *session) {
    const uint16_t known = (uint16_t)(session->in.last + 1U - session->in.next);
    uint16_t missing = 0U;
    for (uint16_t i = 0U; (i < 16U) && (i < known) && (i < session->config->history_in); i++) {
        if (sal_slot_length(session, slot_at(session, i)) == 0U) {
            missing = (uint16_t)(missing | (UINT32_C(1) << i));
        }
    }
    return missing;
}

void sal_incoming_heartbeat(saltus_session_t *session, uint16_t first, uint16_t last) {
    uint32_t lost = 0U;
    while (sal_wire_is_before(session->in.next, first)) {
        /* A stored message was not handled either. */
        lost++;
        session->in.skips = true;
        sal_incoming_advance(session);
    }
    note_existing(session, last);
    session->in.owes_acknowledgement = true;
    if (lost > 0U) {
        session->counters.lost_in += lost;
        sal_events_report(session, SALTUS_EVENT_LOST, lost);
    }
}

/* A message that does not begin with a fragment ends the dropping of fragments. */
static void end_skipping(saltus_session_t *session, const uint8_t *message) {
    if ((session->in.offset == HEADER_SIZE) && (message[HEADER_SIZE] != (uint8_t)FRAGMENT)) {
        session->in.skips = false;
    }
}

bool sal_incoming_take(saltus_session_t *session, uint16_t sequence, const uint8_t *message, uint16_t size) {
    const uint16_t ahead = (uint16_t)(sequence - session->in.next);
    session->in.owes_acknowledgement = true;
    if (ahead >= session->config->history_in) {
        /* It was handled before, or there is no slot for it. In both cases the agent learns it. */
        return false;
    }
    note_existing(session, sequence);
    if ((ahead > 0U) || (sal_slot_length(session, slot_at(session, 0U)) > 0U)) {
        sal_incoming_store(session, ahead, message, size);
        return false;
    }
    /* The usual case: the message is handled in the buffer that received it. */
    session->in.offset = HEADER_SIZE;
    end_skipping(session, message);
    return true;
}

uint8_t *sal_incoming_next(saltus_session_t *session) {
    uint8_t *slot = slot_at(session, 0U);
    if (sal_slot_length(session, slot) == 0U) {
        return NULL;
    }
    end_skipping(session, slot);
    return slot;
}

/* Returns the fragment that the message `ahead` of `next` begins with, or, in `next`, the one at the offset. */
static uint8_t *fragment_at(const saltus_session_t *session, uint16_t ahead) {
    uint8_t *slot = slot_at(session, ahead);
    const uint32_t size = sal_slot_length(session, slot);
    const uint32_t offset = (ahead == 0U) ? session->in.offset : HEADER_SIZE;
    uint8_t *fragment = &slot[offset];
    if ((size < (offset + HEADER_SIZE)) || (fragment[0] != (uint8_t)FRAGMENT) ||
        (size < (offset + HEADER_SIZE + sal_wire_payload_size(fragment)))) {
        return NULL;
    }
    return fragment;
}

/* Returns whether a fragment is the last one of its submessage. */
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
    cdr->left = sal_wire_payload_size(fragment);
    return cdr->left > 0U;
}

/* Continues behind the fragment at the offset. */
static void skip_fragment(saltus_session_t *session) {
    const uint8_t *fragment = &slot_at(session, 0U)[session->in.offset];
    const uint32_t end = (uint32_t)session->in.offset + HEADER_SIZE + sal_wire_payload_size(fragment);
    if (is_last(fragment)) {
        session->in.skips = false;
    }
    session->in.offset = (uint16_t)sal_wire_align(end);
}

uint16_t sal_incoming_collect_fragments(saltus_session_t *session, saltus_cdr_t *cdr) {
    const uint16_t history = session->config->history_in;
    uint16_t count = 0U;
    while (!session->in.skips && (count < history) && (sal_slot_length(session, slot_at(session, count)) > 0U)) {
        const uint8_t *fragment = fragment_at(session, count);
        if (fragment == NULL) {
            sal_events_report_unreadable(session, SALTUS_TRUNCATED);
            session->in.skips = true;
        } else {
            count++;
            if (is_last(fragment)) {
                *cdr = saltus_cdr_counter();
                cdr->take_piece = take_fragment;
                cdr->pieces = session;
                return count;
            }
        }
    }
    if (count == history) {
        /* The stream can never hold the message. */
        session->counters.lost_in++;
        session->in.skips = true;
        sal_events_report(session, SALTUS_EVENT_LOST, 1U);
    }
    return 0U;
}

void sal_incoming_end_fragments(saltus_session_t *session, uint16_t count) {
    for (uint16_t i = 1U; i < count; i++) {
        sal_incoming_advance(session);
    }
    skip_fragment(session);
}

bool sal_incoming_drop_fragment(saltus_session_t *session) {
    if (!session->in.skips || (fragment_at(session, 0U) == NULL)) {
        return false;
    }
    skip_fragment(session);
    return true;
}
