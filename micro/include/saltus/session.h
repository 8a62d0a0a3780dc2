/**
 * A session with an agent: the connection of a device to the graph.
 *
 * The application owns all memory. A session connects, and connects again after the agent was away; then it creates all
 * entities again. Everything happens in `saltus_spin_once`: there are no threads and no interrupts in the library.
 * A session is used by one thread at a time.
 */
#ifndef SALTUS_SESSION_H
#define SALTUS_SESSION_H

#include "saltus/cdr.h"
#include "saltus/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The bytes of a reliable stream for `history` messages of at most `mtu` bytes. */
#define SALTUS_STREAM_BYTES(mtu, history) ((history) * ((mtu) + 2U))

/** Nanoseconds in a millisecond. */
#define SALTUS_MILLISECOND INT64_C(1000000)
/** Nanoseconds in a second. */
#define SALTUS_SECOND INT64_C(1000000000)

typedef struct saltus_session saltus_session_t;
typedef struct saltus_entity saltus_entity_t;
typedef struct saltus_timer saltus_timer_t;

/** The events of a session, which the application gets. */
typedef enum saltus_event {
    /** A session has begun. The entities are created next. */
    SALTUS_EVENT_CONNECTED,
    /** All entities are created. */
    SALTUS_EVENT_READY,
    /** The session is over. The detail is the number of reliable messages that the agent has not acknowledged; these
     * are lost. */
    SALTUS_EVENT_DISCONNECTED,
    /** The agent refused the session or an entity. The detail is the status of the protocol, or 0 if the names of an
     * entity are too long for the stream. */
    SALTUS_EVENT_REFUSED,
    /** A message could not be read. The detail is a `saltus_status_t`. */
    SALTUS_EVENT_UNREADABLE,
    /** Messages of the agent are lost: they waited for too long there, or are too long for the stream. The detail is
     * their number. */
    SALTUS_EVENT_LOST,
    /** The offset between the clocks was measured. The detail is the round trip in microseconds. */
    SALTUS_EVENT_TIME
} saltus_event_t;

/**
 * The options and the memory of a session. The configuration must exist as long as the session; it may be in flash.
 *
 * `saltus_config_init` sets the fields that most applications leave alone, and so does `SALTUS_CONFIG_DEFAULTS` in an
 * initializer in C.
 */
typedef struct saltus_config {
    /** The transport. */
    saltus_transport_t *transport;
    /** Returns the time of a clock that never goes back, in nanoseconds. */
    int64_t (*now)(void);
    /** The key of the device: not 0, and different from that of every other device of the agent. */
    uint32_t key;
    /** A number that is different after each reset, such as a random one. The agent thereby recognizes a reset. */
    uint32_t boot;
    /** The longest message in both directions, in bytes: at least 63. */
    uint16_t mtu;
    /** The number of messages that are kept until the agent has acknowledged them: at least 1. */
    uint8_t history_out;
    /** The number of messages that are accepted in advance, or are fragments of one message: at least 1. */
    uint8_t history_in;
    /** The buffer for a message that arrives: `mtu` bytes. */
    uint8_t *receive;
    /** The memory for reliable messages to the agent: `SALTUS_STREAM_BYTES(mtu, history_out)`. */
    uint8_t *reliable_out;
    /** The memory for reliable messages from the agent: `SALTUS_STREAM_BYTES(mtu, history_in)`. */
    uint8_t *reliable_in;
    /** The memory for a best-effort message: `mtu` bytes. `NULL` if no publisher is best effort. */
    uint8_t *best_effort;
    /** The time without an acknowledgement after which the agent is asked for one, in milliseconds. */
    uint16_t heartbeat_ms;
    /** The time of silence after which the agent is asked whether it is there, in milliseconds. After three questions
     * without an answer, `heartbeat_ms` apart, the session is over. */
    uint16_t ping_ms;
    /** The time of silence after which the agent asks whether the device is there, in milliseconds, at most 999,999; 0
     * is the agent's own. It needs an MTU of 90 or more. */
    uint32_t lease_ms;
    /** The time between measurements of the agent's clock, in milliseconds; 0 if only the application asks. */
    uint32_t time_period_ms;
    /** Whether reliable messages wait until a slot is full or the session spins, so that several share a message on the
     * transport. Otherwise each one is sent at once, or, if a callback sends it, when the callback has returned. */
    bool packs;
    /** Is called for each event. May be `NULL`. */
    void (*on_event)(saltus_session_t *session, saltus_event_t event, uint32_t detail);
} saltus_config_t;

/** The fields of `saltus_config_t` that most applications leave alone, for an initializer in C. In C++20, this belongs
 * between `best_effort` and `lease_ms`. */
#define SALTUS_CONFIG_DEFAULTS .heartbeat_ms = 100U, .ping_ms = 1000U

/** Sets the fields that most applications leave alone, and the others to zero. In C and in C++. */
void saltus_config_init(saltus_config_t *config);

/** The counts of a session since `saltus_session_init`. */
typedef struct saltus_counters {
    /** Sessions that have begun. */
    uint32_t connections;
    /** Reliable messages of this device that were lost with a session. */
    uint32_t lost_out;
    /** Reliable messages of the agent that were lost. */
    uint32_t lost_in;
    /** Messages that could not be read. */
    uint32_t unreadable;
    /** Responses and results that did not fit into the stream. */
    uint32_t unsent;
} saltus_counters_t;

/** A reliable stream to the agent. */
typedef struct saltus_outgoing {
    /** The values that `next` and the length of the message had before the submessage that was begun last. */
    uint16_t begun;
    uint16_t begun_length;
    /** The oldest message that is not acknowledged. */
    uint16_t first;
    /** The first message that is not sent. */
    uint16_t unsent;
    /** The number of the next message. */
    uint16_t next;
    /** The slot of `first`. */
    uint8_t slot;
} saltus_outgoing_t;

/** A reliable stream from the agent. */
typedef struct saltus_incoming {
    /** The number of the next message. */
    uint16_t next;
    /** The last message that is known to exist, or the one before `next`. */
    uint16_t last;
    /** Where the next submessage begins in the message `next`, if it is stored. */
    uint16_t offset;
    /** The slot of `next`. */
    uint8_t slot;
    /** Whether fragments are dropped up to the last one of their message. */
    bool skips;
    /** Whether an acknowledgement is due. */
    bool owes_acknowledgement;
} saltus_incoming_t;

/** A session. Its fields are private, except that `context` is the application's and `counters` may be read. */
struct saltus_session {
    const saltus_config_t *config;
    /** Belongs to the application. */
    void *context;
    saltus_counters_t counters;
    saltus_entity_t *entities;
    saltus_timer_t *timers;
    /** The timer that runs next, while timers run. */
    saltus_timer_t *next_timer;
    int64_t connect_at;
    int64_t ping_at;
    int64_t heartbeat_at;
    int64_t time_at;
    int64_t asked_time;
    int64_t offset;
    int64_t round_trip;
    int64_t measured_at;
    saltus_outgoing_t out;
    saltus_incoming_t in;
    uint32_t connection;
    uint16_t best_effort_out;
    uint16_t best_effort_in;
    uint16_t next_request;
    uint16_t next_number;
    uint8_t id;
    uint8_t state;
    uint8_t pings;
    uint8_t attempts;
    bool is_open;
    bool is_ready;
    bool has_time;
    bool spins;
    bool in_stream;
    bool defers;
};

/** Prepares a session. It connects when it spins. Returns `SALTUS_INVALID` if the configuration can't be used. */
saltus_status_t saltus_session_init(saltus_session_t *session, const saltus_config_t *config);

/**
 * Ends the session and closes the transport. The agent removes the entities. The session does not connect again.
 * Messages that are not acknowledged are sent once more and count as lost: call `saltus_wait_acknowledged` before.
 */
void saltus_session_end(saltus_session_t *session);

/** Returns whether there is a session with the agent. */
bool saltus_is_connected(const saltus_session_t *session);

/** Returns whether there is a session, and the agent has all entities. */
bool saltus_is_ready(const saltus_session_t *session);

/** Returns whether the agent has acknowledged every reliable message of the present session. */
bool saltus_is_acknowledged(const saltus_session_t *session);

/**
 * Waits for work, at most `timeout` nanoseconds, and does it: connects, receives, calls callbacks, runs timers, sends
 * what is due. Returns `SALTUS_INVALID` if a callback calls it.
 */
saltus_status_t saltus_spin_once(saltus_session_t *session, int64_t timeout);

/** Spins for a time in nanoseconds. */
saltus_status_t saltus_spin_for(saltus_session_t *session, int64_t duration);

/** Spins until the agent has all entities. Returns `SALTUS_TIMEOUT` if it does not have them within `timeout`. */
saltus_status_t saltus_wait_ready(saltus_session_t *session, int64_t timeout);

/**
 * Spins until every reliable message is acknowledged. Returns `SALTUS_TIMEOUT` if that takes longer than `timeout`, and
 * `SALTUS_NOT_CONNECTED` if the session was lost with messages that were not.
 */
saltus_status_t saltus_wait_acknowledged(saltus_session_t *session, int64_t timeout);

/**
 * Keeps the present message for later. A callback calls it if it can't do its work because a stream is full: it gets the
 * same message again when there is room. A best-effort message can't wait; it is lost, and reported as
 * `SALTUS_EVENT_UNREADABLE`.
 */
void saltus_defer(saltus_session_t *session);

/** Sends what waits in the streams. Only needed if the configuration has `packs`, and the session does not spin. */
saltus_status_t saltus_flush(saltus_session_t *session);

/**
 * Asks the agent for its time. The answer comes while the session spins. An answer that was on its way for longer than
 * earlier ones is not used, unless the clocks may have drifted apart by more since then.
 */
saltus_status_t saltus_ask_time(saltus_session_t *session);

/** Returns whether the offset to the agent's clock is known. */
bool saltus_has_time(const saltus_session_t *session);

/** Returns the agent's time in nanoseconds since 1970, or the device's own time if `saltus_has_time` is false. */
int64_t saltus_time(const saltus_session_t *session);

/** A timer that the session runs. */
struct saltus_timer {
    saltus_timer_t *next;
    int64_t period;
    int64_t due;
    void (*callback)(void *context);
    void *context;
};

/** Adds a timer. It runs each `period` nanoseconds while the session spins; periods that were missed are skipped. */
saltus_status_t saltus_timer_init(saltus_timer_t *timer, saltus_session_t *session, int64_t period,
                                  void (*callback)(void *context), void *context);

/** Removes a timer. */
void saltus_timer_cancel(saltus_timer_t *timer, saltus_session_t *session);

#ifdef __cplusplus
}
#endif

#endif
