/* The constants of the protocol, and the states of a session. */
#ifndef SALTUS_CONSTANTS_H
#define SALTUS_CONSTANTS_H

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

/* The states of a session. */
enum { STATE_CONNECTING, STATE_CONNECTED, STATE_ENDED };

#endif
