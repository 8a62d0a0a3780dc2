/* What the files of the library share. */
#ifndef SALTUS_INTERNAL_H
#define SALTUS_INTERNAL_H

#include "saltus/entities.h"

/* The kinds of submessages. */
enum {
    CREATE_CLIENT = 0,
    CREATE = 1,
    GET_INFO = 2,
    DELETE = 3,
    STATUS_AGENT = 4,
    STATUS = 5,
    INFO = 6,
    WRITE_DATA = 7,
    READ_DATA = 8,
    DATA = 9,
    ACKNACK = 10,
    HEARTBEAT = 11,
    FRAGMENT = 13,
    TIMESTAMP = 14,
    TIMESTAMP_REPLY = 15
};

/* The flags of submessages. */
#define FLAG_LITTLE_ENDIAN 0x01U
#define FLAG_LAST_FRAGMENT 0x02U
#define FLAG_REUSE_REPLACE 0x06U

/* The streams. */
#define STREAM_NONE 0x00U
#define STREAM_BEST_EFFORT 0x01U
#define STREAM_RELIABLE 0x80U

/* The sessions of messages without a key, and the sizes of the headers of a message and a submessage. */
#define SESSION_NONE 0x80U
#define SESSION_FIRST 0x81U
#define SESSIONS 126U
#define HEADER_SIZE 4U

/* The kinds of objects of the protocol. */
enum {
    OBJECT_PARTICIPANT = 1,
    OBJECT_TOPIC = 2,
    OBJECT_PUBLISHER = 3,
    OBJECT_SUBSCRIBER = 4,
    OBJECT_WRITER = 5,
    OBJECT_READER = 6,
    OBJECT_REQUESTER = 7,
    OBJECT_REPLIER = 8
};

/* Object identifiers with a meaning of their own, and requests. */
#define OBJECT_AGENT 0xFFFDU
#define OBJECT_CLIENT 0xFFFEU
#define REQUEST_LOGOUT 2U
#define REQUEST_PING 10U
#define REQUEST_FIRST 10U

/* The status of the protocol for an object or a session that the agent does not have. */
#define UNKNOWN_REFERENCE 0x84U

enum { STATE_CONNECTING, STATE_CONNECTED, STATE_ENDED };

/* How the handling of submessages ended. */
typedef enum walk {
    /* All were handled. */
    WALK_DONE,
    /* The next one must wait until the stream to the agent has room. */
    WALK_HELD,
    /* The next one is a fragment. */
    WALK_FRAGMENT
} walk_t;

/* A message outside of streams, on its way. */
typedef struct control {
    saltus_cdr_t cdr;
    uint8_t bytes[96];
} control_t;

/* Whether a sequence number comes before another one. They wrap around. */
static inline bool is_before(uint16_t a, uint16_t b) {
    return (uint16_t)(a - b) >= 0x8000U;
}

/* control.c */
void saltus_write_uint16(saltus_cdr_t *cdr, uint16_t value);
uint16_t saltus_read_uint16(saltus_cdr_t *cdr);
/* The bytes of identifiers have the high one first. */
void saltus_write_id(saltus_cdr_t *cdr, uint16_t id);
uint16_t saltus_read_id(saltus_cdr_t *cdr);
void saltus_write_header(uint8_t *message, uint8_t session, uint8_t stream, uint16_t sequence);
void saltus_write_subheader(uint8_t *place, uint8_t kind, uint8_t flags, uint32_t length);
void saltus_control_begin(control_t *control, uint8_t session, uint8_t kind);
bool saltus_control_send(saltus_session_t *session, control_t *control);
void saltus_send_login(saltus_session_t *session);
void saltus_send_logout(saltus_session_t *session);
void saltus_send_ping(saltus_session_t *session);
void saltus_send_presence(saltus_session_t *session, uint16_t request, uint16_t object);
void saltus_send_heartbeat(saltus_session_t *session);
void saltus_send_acknowledgement(saltus_session_t *session);

/* outgoing.c */
void saltus_outgoing_reset(saltus_session_t *session);
uint16_t saltus_outgoing_kept(const saltus_session_t *session);
/* Whether a whole slot is free. */
bool saltus_outgoing_has_slot(const saltus_session_t *session);
/* Begins a submessage of a known size in a stream. The cursor counts from the begin of the payload. */
saltus_status_t saltus_begin(saltus_session_t *session, bool reliable, uint8_t kind, uint8_t flags, uint32_t size,
                             saltus_cdr_t *cdr);
saltus_status_t saltus_end(saltus_session_t *session, bool reliable);
/* Takes back the submessage that was begun last, and is not sent. */
void saltus_undo(saltus_session_t *session, bool reliable);
void saltus_outgoing_acknowledge(saltus_session_t *session, uint16_t first, uint16_t missing);

/* incoming.c */
void saltus_incoming_reset(saltus_session_t *session);
void saltus_incoming_receive(saltus_session_t *session, uint16_t sequence, uint8_t *message, uint16_t size);
void saltus_incoming_heartbeat(saltus_session_t *session, uint16_t first, uint16_t last);
void saltus_incoming_drain(saltus_session_t *session);
uint16_t saltus_incoming_missing(const saltus_session_t *session);

/* receive.c */
void saltus_receive(saltus_session_t *session, uint8_t *message, uint16_t size);
walk_t saltus_walk(saltus_session_t *session, uint8_t *message, uint16_t size, uint16_t *offset);
/* Handles a submessage. Returns false if it has to wait. */
bool saltus_handle(saltus_session_t *session, uint8_t kind, saltus_cdr_t *cdr);
void saltus_unreadable(saltus_session_t *session, saltus_status_t status);
void saltus_lose_session(saltus_session_t *session);
void saltus_tell(saltus_session_t *session, saltus_event_t event, uint32_t detail);

/* create.c */
/* Asks the agent for the entities that it was not asked for, as far as the stream has room. */
void saltus_create_entities(saltus_session_t *session);
void saltus_forget_entities(saltus_session_t *session);
void saltus_entity_status(saltus_session_t *session, uint16_t object, uint8_t status);
uint16_t saltus_object_id(const saltus_entity_t *entity, uint8_t kind);

/* entities.c */
void saltus_entity_add(saltus_entity_t *entity, saltus_session_t *session, saltus_entity_kind_t kind);
/* Adds an entity of a node with a name, a suffix and a type. */
saltus_status_t saltus_entity_init(saltus_entity_t *entity, const saltus_node_t *node, saltus_entity_kind_t kind,
                                   const void *type, const char *name, const char *suffix);
/* Handles data for an entity. Returns false if it has to wait. */
bool saltus_entity_data(saltus_session_t *session, saltus_cdr_t *cdr);
/* Begins the answer to a request; `size` is that of the response. */
saltus_status_t saltus_respond_begin(saltus_service_t *service, const saltus_request_t *request, uint32_t size,
                                     saltus_cdr_t *cdr);
saltus_status_t saltus_respond_end(saltus_service_t *service, const saltus_cdr_t *cdr, uint32_t size);

#endif
