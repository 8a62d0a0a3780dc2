/**
 * The port for Linux and other systems with POSIX: a clock, UDP, TCP, serial lines and CAN-FD.
 *
 * The strings that are given to the functions must exist as long as the transport.
 */
#ifndef SALTUS_POSIX_H
#define SALTUS_POSIX_H

#include "saltus/framing.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the time since the system has started, in nanoseconds. */
int64_t saltus_posix_now(void);

/** Returns a random number, for `boot` of a configuration. */
uint32_t saltus_posix_random(void);

/** The bytes that a line keeps until a message is complete, and the bytes that it reads at once. */
#define SALTUS_POSIX_LINE 1024U

/** What a descriptor is. */
typedef enum saltus_posix_kind {
    SALTUS_POSIX_UDP,
    SALTUS_POSIX_TCP,
    SALTUS_POSIX_SERIAL,
    SALTUS_POSIX_CAN
} saltus_posix_kind_t;

/** A transport, or a line, over a file descriptor. */
typedef struct saltus_posix {
    saltus_transport_t transport;
    /** The descriptor, or -1 if it is not open. */
    int fd;
    /** The address of the agent, or the path of the device. */
    const char *host;
    /** The port of the agent, or the speed of the line in baud. */
    const char *port;
    /** The bytes of a frame of CAN-FD. */
    uint32_t can_id;
    /** The time that a read polls before it waits, in nanoseconds. A longer time means less latency and a busier CPU. */
    int64_t polls;
    saltus_posix_kind_t kind;
    /** A line: the bytes of `out` that wait for the end of a message, and those of `in` that were not taken. */
    size_t waiting;
    size_t taken;
    size_t filled;
    uint8_t out[SALTUS_POSIX_LINE];
    uint8_t in[SALTUS_POSIX_LINE];
} saltus_posix_t;

/** Makes a transport over UDP to an agent, such as `"192.168.1.5"` and `"8888"`. */
void saltus_posix_udp_init(saltus_posix_t *udp, const char *host, const char *port);

/** Makes a line over TCP to an agent. `saltus_stream_line_init` makes a transport over it. */
void saltus_posix_tcp_init(saltus_posix_t *tcp, const char *host, const char *port);

/**
 * Makes a line over a serial device, such as `"/dev/ttyUSB0"` at `"115200"` baud. A USB-CDC device or a pseudo-terminal
 * is the same. `saltus_serial_init` makes a transport over it.
 */
void saltus_posix_serial_init(saltus_posix_t *serial, const char *device, const char *baud);

/**
 * Makes the frames of a CAN-FD interface such as `"can0"`, or of a bus on a socket if the name begins with a slash.
 * `id` is the identifier of 29 bits of the frames in both directions. `saltus_can_init` makes a transport over it.
 */
void saltus_posix_can_init(saltus_posix_t *can, const char *bus, uint32_t id);

#ifdef __cplusplus
}
#endif

#endif
