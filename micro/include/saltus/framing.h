/**
 * Framing: transports over lines that carry bytes, such as UARTs, USB-CDC and TCP, and over CAN-FD frames.
 */
#ifndef SALTUS_FRAMING_H
#define SALTUS_FRAMING_H

#include "saltus/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The number of bytes that are read from a line, and written to it, at once. */
#define SALTUS_LINE_CHUNK 32U

/** The number of reads of a line for one message. Then the session does what is due, even if a line sends only junk. */
#define SALTUS_LINE_READS 256U

/** The part of a message that the reader of a serial line expects next. */
typedef enum saltus_serial_state {
    SALTUS_SERIAL_FLAG,
    SALTUS_SERIAL_SOURCE,
    SALTUS_SERIAL_DESTINATION,
    SALTUS_SERIAL_LENGTH_LOW,
    SALTUS_SERIAL_LENGTH_HIGH,
    SALTUS_SERIAL_PAYLOAD,
    SALTUS_SERIAL_CRC_LOW,
    SALTUS_SERIAL_CRC_HIGH
} saltus_serial_state_t;

/**
 * A transport over a serial line. Each message has a start flag, addresses, its length and a checksum. Damaged messages
 * are dropped and counted.
 *
 * The size of a message is limited by the buffer into which the session receives.
 */
typedef struct saltus_serial {
    saltus_transport_t transport;
    /** The line. */
    saltus_transport_t *line;
    /** The number of messages that were dropped because they were damaged or too long. */
    uint32_t dropped;
    uint16_t length;
    uint16_t filled;
    uint16_t crc;
    uint16_t expected_crc;
    saltus_serial_state_t state;
    uint8_t local;
    uint8_t remote;
    bool escaped;
    uint8_t chunk_size;
    uint8_t chunk_at;
    uint8_t chunk[SALTUS_LINE_CHUNK];
} saltus_serial_t;

/**
 * Makes a transport over a serial line. `local` is the address of the client on the line, and 0 is the agent's.
 * Two clients on one line need different addresses.
 */
void saltus_serial_init(saltus_serial_t *serial, saltus_transport_t *line, uint8_t local);

/** A transport over a stream of bytes that loses none, such as TCP. The length goes before each message. */
typedef struct saltus_stream_line {
    saltus_transport_t transport;
    /** The line. */
    saltus_transport_t *line;
    /** The number of messages that were dropped because they were longer than the session's buffer. */
    uint32_t dropped;
    uint32_t filled;
    uint8_t length[2];
} saltus_stream_line_t;

/** Makes a transport over a stream of bytes that loses none. */
void saltus_stream_line_init(saltus_stream_line_t *stream, saltus_transport_t *line);

/** The longest message on CAN-FD, in bytes. A session over CAN-FD has this MTU. */
#define SALTUS_CAN_MTU 63U

/** A transport over the data of CAN-FD frames. The line reads and writes the data of one frame, at most 64 bytes. */
typedef struct saltus_can {
    saltus_transport_t transport;
    /** The frames. */
    saltus_transport_t *frames;
    /** The number of frames that were dropped because they were shorter than their message. */
    uint32_t dropped;
} saltus_can_t;

/** Makes a transport over the data of CAN-FD frames. */
void saltus_can_init(saltus_can_t *can, saltus_transport_t *frames);

#ifdef __cplusplus
}
#endif

#endif
