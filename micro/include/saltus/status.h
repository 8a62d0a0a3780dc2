/** The results of the functions of the library. */
#ifndef SALTUS_STATUS_H
#define SALTUS_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a call. Only `SALTUS_OK` is a success. */
typedef enum saltus_status {
    /** The call did what it is for. */
    SALTUS_OK = 0,
    /** There is no session with the agent, or the agent does not have the entity yet. */
    SALTUS_NOT_CONNECTED,
    /** The stream has no room until the agent acknowledges earlier messages. Spin, and try again. */
    SALTUS_FULL,
    /** The message does not fit into the stream, even if the stream is empty. */
    SALTUS_TOO_LONG,
    /** The bytes end before the message does. */
    SALTUS_TRUNCATED,
    /** A received string or sequence is longer than the memory that the application gives for it. */
    SALTUS_CAPACITY,
    /** A value can't be used: a bool that is neither 0 nor 1, a sequence longer than its bound, a wrong argument. */
    SALTUS_INVALID,
    /** The transport can't be opened, or does not take a message. */
    SALTUS_TRANSPORT,
    /** The agent refused the session or an entity. */
    SALTUS_REFUSED,
    /** The time is over. */
    SALTUS_TIMEOUT
} saltus_status_t;

/** Returns a sentence for a status: what is wrong and what to do. It is in read-only memory. */
const char *saltus_status_text(saltus_status_t status);

#ifdef __cplusplus
}
#endif

#endif
