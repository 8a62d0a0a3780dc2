/* Messages outside of streams: the session, acknowledgements, the time. */
#include <string.h>

#include "internal.h"

void saltus_write_uint16(saltus_cdr_t *cdr, uint16_t value) {
    saltus_cdr_write_numbers(cdr, &value, 2U, 1U);
}

uint16_t saltus_read_uint16(saltus_cdr_t *cdr) {
    uint16_t value = 0U;
    saltus_cdr_read_numbers(cdr, &value, 2U, 1U);
    return value;
}

void saltus_write_id(saltus_cdr_t *cdr, uint16_t id) {
    const uint8_t bytes[2] = {(uint8_t)(id >> 8), (uint8_t)(id & 0xFFU)};
    saltus_cdr_write_bytes(cdr, bytes, 2U);
}

uint16_t saltus_read_id(saltus_cdr_t *cdr) {
    uint8_t bytes[2] = {0U, 0U};
    saltus_cdr_read_bytes(cdr, bytes, 2U);
    return (uint16_t)(((uint16_t)bytes[0] << 8) | bytes[1]);
}

void saltus_write_header(uint8_t *message, uint8_t session, uint8_t stream, uint16_t sequence) {
    message[0] = session;
    message[1] = stream;
    message[2] = (uint8_t)(sequence & 0xFFU);
    message[3] = (uint8_t)(sequence >> 8);
}

void saltus_write_subheader(uint8_t *place, uint8_t kind, uint8_t flags, uint32_t length) {
    /* A length that does not fit is 0: the submessage then reaches to the end of its message. */
    const uint32_t told = (length > UINT16_MAX) ? 0U : length;
    place[0] = kind;
    place[1] = (uint8_t)(flags | FLAG_LITTLE_ENDIAN);
    place[2] = (uint8_t)(told & 0xFFU);
    place[3] = (uint8_t)(told >> 8);
}

void saltus_control_begin(control_t *control, uint8_t session, uint8_t kind) {
    saltus_write_header(control->bytes, session, STREAM_NONE, 0U);
    saltus_write_subheader(&control->bytes[HEADER_SIZE], kind, 0U, 0U);
    control->cdr = saltus_cdr_over(&control->bytes[2U * HEADER_SIZE], sizeof(control->bytes) - (2U * HEADER_SIZE));
}

bool saltus_control_send(saltus_session_t *session, control_t *control) {
    saltus_transport_t *transport = session->config->transport;
    const uint32_t size = control->cdr.position;
    control->bytes[HEADER_SIZE + 2U] = (uint8_t)size;
    if ((control->cdr.status != SALTUS_OK) || !session->is_open) {
        return false;
    }
    if (!transport->write(transport, control->bytes, (2U * HEADER_SIZE) + size)) {
        transport->close(transport);
        session->is_open = false;
        return false;
    }
    return true;
}

/* Writes a number in hexadecimal, without zeros in front. Returns the number of digits. */
static uint8_t write_hexadecimal(uint32_t number, char *text) {
    static const char digits[] = "0123456789abcdef";
    uint8_t count = 0U;
    for (uint8_t shift = 32U; shift > 0U; shift = (uint8_t)(shift - 4U)) {
        const uint32_t digit = (number >> (shift - 4U)) & 0xFU;
        if ((digit != 0U) || (count > 0U) || (shift == 4U)) {
            text[count] = digits[digit];
            count++;
        }
    }
    return count;
}

static void write_property(saltus_cdr_t *cdr, const char *name, char *value, uint32_t size) {
    const saltus_string_t name_string = saltus_string_of(name);
    const saltus_string_t value_string = {value, size, 0U};
    saltus_cdr_write_string(cdr, &name_string, 0U);
    saltus_cdr_write_string(cdr, &value_string, 0U);
}

/* The history and the connection, as the agent of Saltus reads them. Other agents ignore them. */
static void write_own_property(saltus_session_t *session, saltus_cdr_t *cdr) {
    char value[12];
    uint8_t size = write_hexadecimal(session->config->history_in, value);
    value[size] = ':';
    size++;
    size = (uint8_t)(size + write_hexadecimal(session->config->boot + session->connection, &value[size]));
    write_property(cdr, "sal", value, size);
}

/* The lease in milliseconds, as six decimal digits. */
static void write_lease_property(uint32_t lease_ms, saltus_cdr_t *cdr) {
    char value[6];
    uint32_t rest = lease_ms;
    for (uint8_t i = 6U; i > 0U; i--) {
        value[i - 1U] = (char)('0' + (char)(rest % 10U));
        rest /= 10U;
    }
    write_property(cdr, "uxr_hl", value, sizeof(value));
}

void saltus_send_login(saltus_session_t *session) {
    static const uint8_t cookie_version_vendor[8] = {'X', 'R', 'C', 'E', 1U, 0U, 1U, 0x0FU};
    const saltus_config_t *config = session->config;
    control_t control;
    /* Each connection has another session, so that late messages of an earlier one are recognized. */
    session->id = (uint8_t)(SESSION_FIRST + ((config->boot + session->connection) % SESSIONS));
    saltus_control_begin(&control, SESSION_NONE, CREATE_CLIENT);
    saltus_cdr_write_bytes(&control.cdr, cookie_version_vendor, sizeof(cookie_version_vendor));
    saltus_write_id(&control.cdr, (uint16_t)(config->key >> 16));
    saltus_write_id(&control.cdr, (uint16_t)(config->key & 0xFFFFU));
    saltus_cdr_write_uint8(&control.cdr, session->id);
    saltus_cdr_write_uint8(&control.cdr, 1U);
    saltus_cdr_write_uint32(&control.cdr, (config->lease_ms > 0U) ? 2U : 1U);
    write_own_property(session, &control.cdr);
    if (config->lease_ms > 0U) {
        write_lease_property(config->lease_ms, &control.cdr);
    }
    saltus_write_uint16(&control.cdr, config->mtu);
    (void)saltus_control_send(session, &control);
}

void saltus_send_logout(saltus_session_t *session) {
    control_t control;
    saltus_control_begin(&control, session->id, DELETE);
    saltus_write_id(&control.cdr, REQUEST_LOGOUT);
    saltus_write_id(&control.cdr, OBJECT_CLIENT);
    (void)saltus_control_send(session, &control);
}

void saltus_send_ping(saltus_session_t *session) {
    const uint32_t activity = 2U;
    control_t control;
    saltus_control_begin(&control, session->id, GET_INFO);
    saltus_write_id(&control.cdr, REQUEST_PING);
    saltus_write_id(&control.cdr, OBJECT_AGENT);
    saltus_cdr_write_uint32(&control.cdr, activity);
    (void)saltus_control_send(session, &control);
}

void saltus_send_presence(saltus_session_t *session, uint16_t request, uint16_t object) {
    /* Success, there is a session; neither configuration nor activity. */
    static const uint8_t present[4] = {0U, 1U, 0U, 0U};
    control_t control;
    saltus_control_begin(&control, session->id, INFO);
    saltus_write_id(&control.cdr, request);
    saltus_write_id(&control.cdr, object);
    saltus_cdr_write_bytes(&control.cdr, present, sizeof(present));
    (void)saltus_control_send(session, &control);
}

void saltus_send_heartbeat(saltus_session_t *session) {
    control_t control;
    saltus_control_begin(&control, session->id, HEARTBEAT);
    saltus_write_uint16(&control.cdr, session->out.first);
    saltus_write_uint16(&control.cdr, (uint16_t)(session->out.unsent - 1U));
    saltus_cdr_write_uint8(&control.cdr, STREAM_RELIABLE);
    (void)saltus_control_send(session, &control);
}

void saltus_send_acknowledgement(saltus_session_t *session) {
    control_t control;
    saltus_control_begin(&control, session->id, ACKNACK);
    saltus_write_uint16(&control.cdr, session->in.next);
    saltus_write_id(&control.cdr, saltus_incoming_missing(session));
    saltus_cdr_write_uint8(&control.cdr, STREAM_RELIABLE);
    session->in.owes_acknowledgement = !saltus_control_send(session, &control);
}

saltus_status_t saltus_ask_time(saltus_session_t *session) {
    const int64_t now = session->config->now();
    control_t control;
    if (session->state != (uint8_t)STATE_CONNECTED) {
        return SALTUS_NOT_CONNECTED;
    }
    session->asked_time = now;
    saltus_control_begin(&control, session->id, TIMESTAMP);
    saltus_cdr_write_uint32(&control.cdr, (uint32_t)(now / SALTUS_SECOND));
    saltus_cdr_write_uint32(&control.cdr, (uint32_t)(now % SALTUS_SECOND));
    return saltus_control_send(session, &control) ? SALTUS_OK : SALTUS_TRANSPORT;
}
