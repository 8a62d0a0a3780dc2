/** The port for lwIP: a transport over UDP, with lwIP's sockets. */
#ifndef SALTUS_LWIP_H
#define SALTUS_LWIP_H

#include "saltus/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A transport over UDP. */
typedef struct saltus_lwip {
    saltus_transport_t transport;
    /** The socket, or -1 if it is not open. */
    int socket;
    /** The address of the agent, such as `"192.168.1.5"`. It must exist as long as the transport. */
    const char *address;
    uint16_t port;
} saltus_lwip_t;

/** Makes a transport over UDP to an agent. */
void saltus_lwip_udp_init(saltus_lwip_t *udp, const char *address, uint16_t port);

#ifdef __cplusplus
}
#endif

#endif
