/* UDP with lwIP's sockets. */
#include "lwip/inet.h"
#include "lwip/sockets.h"
#include "lwip/sys.h"
#include "saltus/session.h"
#include "saltus_lwip.h"

static void udp_close(saltus_transport_t *transport) {
    saltus_lwip_t *udp = (saltus_lwip_t *)(void *)transport;
    if (udp->socket >= 0) {
        (void)lwip_close(udp->socket);
        udp->socket = -1;
    }
}

static bool udp_open(saltus_transport_t *transport) {
    saltus_lwip_t *udp = (saltus_lwip_t *)(void *)transport;
    struct sockaddr_in agent = {0};
    if (udp->socket >= 0) {
        return true;
    }
    agent.sin_family = AF_INET;
    agent.sin_port = lwip_htons(udp->port);
    agent.sin_addr.s_addr = ipaddr_addr(udp->address);
    udp->socket = lwip_socket(AF_INET, SOCK_DGRAM, 0);
    if ((udp->socket >= 0) &&
        (lwip_connect(udp->socket, (const struct sockaddr *)(const void *)&agent, sizeof(agent)) != 0)) {
        udp_close(transport);
    }
    return udp->socket >= 0;
}

/* A datagram for which there is no memory is a lost message. */
static bool udp_write(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    const saltus_lwip_t *udp = (const saltus_lwip_t *)(const void *)transport;
    if (udp->socket >= 0) {
        (void)lwip_send(udp->socket, message, size, 0);
    }
    return udp->socket >= 0;
}

static size_t udp_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    const saltus_lwip_t *udp = (const saltus_lwip_t *)(const void *)transport;
    const int milliseconds = (int)((timeout + SALTUS_MILLISECOND - 1) / SALTUS_MILLISECOND);
    struct pollfd poll = {udp->socket, POLLIN, 0};
    if (udp->socket < 0) {
        sys_msleep((u32_t)milliseconds);
        return 0U;
    }
    if ((milliseconds > 0) && (lwip_poll(&poll, 1U, milliseconds) <= 0)) {
        return 0U;
    }
    const ssize_t size = lwip_recv(udp->socket, buffer, capacity, MSG_DONTWAIT);
    return (size > 0) ? (size_t)size : 0U;
}

void saltus_lwip_udp_init(saltus_lwip_t *udp, const char *address, uint16_t port) {
    udp->transport.open = udp_open;
    udp->transport.close = udp_close;
    udp->transport.write = udp_write;
    udp->transport.read = udp_read;
    udp->socket = -1;
    udp->address = address;
    udp->port = port;
}
