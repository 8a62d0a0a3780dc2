/* Messages to the agent outside of streams: the session, acknowledgements, the time. */
#include "control.h"

#include "incoming.h"
#include "outgoing.h"
#include "wire.h"

/* A message on its way. */
typedef struct control {
    saltus_cdr_t cdr;
    uint8_t bytes[96];
} control_t;

/* Begins a message with one submessage. */
static void begin_message(control_t *control, uint8_t session, uint8_t kind) {
    sal_wire_write_header(control->bytes, session, STREAM_NONE, 0U);
    sal_wire_write_subheader(&control->bytes[HEADER_SIZE], kind, 0U, 0U);
    control->cdr = saltus_cdr_over(&control->bytes[2U * HEADER_SIZE], sizeof(control->bytes) - (2U * HEADER_SIZE));
}

/* Begins a message with one submessage about an object. */
static void begin_request(control_t *control, uint8_t session, uint8_t kind, uint16_t request, uint16_t object) {
    begin_message(control, session, kind);
    sal_wire_write_id(&control->cdr, request);
    sal_wire_write_id(&control->cdr, object);
}

/* Sends a message. Returns false if that fails. */
static bool send_message(saltus_session_t *session, control_t *control) {
    const uint32_t size = control->cdr.position;
    control->bytes[HEADER_SIZE + 2U] = (uint8_t)size;
    return (control->cdr.status == SALTUS_OK) && sal_outgoing_send(session, control->bytes, (2U * HEADER_SIZE) + size);
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

/* Writes a property of the client. */
static void write_property(saltus_cdr_t *cdr, const char *name, char *value, uint32_t size) {
    const saltus_string_t name_string = saltus_string_of(name);
    const saltus_string_t value_string = {value, size, 0U};
    saltus_cdr_write_string(cdr, &name_string, 0U);
    saltus_cdr_write_string(cdr, &value_string, 0U);
}

/* Writes the history and the connection. The agent of Saltus reads them; other agents ignore them. */
static void write_own_property(saltus_session_t *session, saltus_cdr_t *cdr) {
    char value[12];
    uint8_t size = write_hexadecimal(session->config->history_in, value);
    value[size] = ':';
    size++;
    size = (uint8_t)(size + write_hexadecimal(session->config->boot + session->connection, &value[size]));
    write_property(cdr, "sal", value, size);
}

/* Writes the lease in milliseconds, as six decimal digits. */
static void write_lease_property(uint32_t lease_ms, saltus_cdr_t *cdr) {
    char value[6];
    uint32_t rest = lease_ms;
    for (uint8_t i = 6U; i > 0U; i--) {
        value[i - 1U] = (char)('0' + (char)(rest % 10U));
        rest /= 10U;
    }
    write_property(cdr, "uxr_hl", value, sizeof(value));
}

void sal_control_send_login(saltus_session_t *session) {
    static const uint8_t cookie_version_vendor[8] = {'X', 'R', 'C', 'E', 1U, 0U, 1U, 0x0FU};
    const saltus_config_t *config = session->config;
    control_t control;
    /* Each connection has another session, so that late messages of an earlier one are recognized. */
    session->id = (uint8_t)(SESSION_FIRST + ((config->boot + session->connection) % SESSIONS));
    begin_message(&control, SESSION_NONE, CREATE_CLIENT);
    saltus_cdr_write_bytes(&control.cdr, cookie_version_vendor, sizeof(cookie_version_vendor));
    sal_wire_write_id(&control.cdr, (uint16_t)(config->key >> 16));
    sal_wire_write_id(&control.cdr, (uint16_t)(config->key & 0xFFFFU));
    saltus_cdr_write_uint8(&control.cdr, session->id);
    saltus_cdr_write_uint8(&control.cdr, 1U);
    saltus_cdr_write_uint32(&control.cdr, (config->lease_ms > 0U) ? 2U : 1U);
    write_own_property(session, &control.cdr);
    if (config->lease_ms > 0U) {
        write_lease_property(config->lease_ms, &control.cdr);
    }
    sal_wire_write_uint16(&control.cdr, config->mtu);
    (void)send_message(session, &control);
}

void sal_control_send_logout(saltus_session_t *session) {
    control_t control;
    begin_request(&control, session->id, DELETE, REQUEST_LOGOUT, OBJECT_CLIENT);
    (void)send_message(session, &control);
}

void sal_control_send_ping(saltus_session_t *session) {
    const uint32_t activity = 2U;
    control_t control;
    begin_request(&control, session->id, GET_INFO, REQUEST_PING, OBJECT_AGENT);
    saltus_cdr_write_uint32(&control.cdr, activity);
    (void)send_message(session, &control);
}

void sal_control_send_presence(saltus_session_t *session, uint16_t request, uint16_t object) {
    /* Success, there is a session; neither configuration nor activity. */
    static const uint8_t present[4] = {0U, 1U, 0U, 0U};
    control_t control;
    begin_request(&control, session->id, INFO, request, object);
    saltus_cdr_write_bytes(&control.cdr, present, sizeof(present));
    (void)send_message(session, &control);
}

void sal_control_send_heartbeat(saltus_session_t *session) {
    control_t control;
    begin_message(&control, session->id, HEARTBEAT);
    sal_wire_write_uint16(&control.cdr, session->out.first);
    sal_wire_write_uint16(&control.cdr, (uint16_t)(session->out.unsent - 1U));
    saltus_cdr_write_uint8(&control.cdr, STREAM_RELIABLE);
    (void)send_message(session, &control);
}

void sal_control_send_acknowledgement(saltus_session_t *session) {
    control_t control;
    begin_message(&control, session->id, ACKNACK);
    sal_wire_write_uint16(&control.cdr, session->in.next);
    sal_wire_write_id(&control.cdr, sal_incoming_missing(session));
    saltus_cdr_write_uint8(&control.cdr, STREAM_RELIABLE);
    session->in.owes_acknowledgement = !send_message(session, &control);
}

saltus_status_t saltus_ask_time(saltus_session_t *session) {
    const int64_t now = session->config->now();
    control_t control;
    if (session->state != (uint8_t)STATE_CONNECTED) {
        return SALTUS_NOT_CONNECTED;
    }
    session->asked_time = now;
    begin_message(&control, session->id, TIMESTAMP);
    saltus_cdr_write_uint32(&control.cdr, (uint32_t)(now / SALTUS_SECOND));
    saltus_cdr_write_uint32(&control.cdr, (uint32_t)(now % SALTUS_SECOND));
    return send_message(session, &control) ? SALTUS_OK : SALTUS_TRANSPORT;
}
