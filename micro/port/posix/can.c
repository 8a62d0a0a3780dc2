/* Frames of CAN-FD: of an interface of Linux, or of a bus on a socket where a packet is a frame. */
#define _GNU_SOURCE
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "posix_internal.h"

static bool open_bus(saltus_posix_t *can) {
    struct sockaddr_un address = {0};
    address.sun_family = AF_UNIX;
    if (strlen(can->host) >= sizeof(address.sun_path)) {
        return false;
    }
    (void)strncpy(address.sun_path, can->host, sizeof(address.sun_path) - 1U);
    can->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return (can->fd >= 0) && (connect(can->fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
}

static bool open_interface(saltus_posix_t *can) {
    const int yes = 1;
    struct sockaddr_can address = {0};
    address.can_family = AF_CAN;
    address.can_ifindex = (int)if_nametoindex(can->host);
    /* Only the frames of this client. */
    const struct can_filter filter = {can->can_id | CAN_EFF_FLAG, CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG};
    can->fd = socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
    return (can->fd >= 0) && (address.can_ifindex > 0) &&
           (setsockopt(can->fd, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &yes, sizeof(yes)) == 0) &&
           (setsockopt(can->fd, SOL_CAN_RAW, CAN_RAW_FILTER, &filter, sizeof(filter)) == 0) &&
           (bind(can->fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
}

static bool can_open(saltus_transport_t *transport) {
    saltus_posix_t *can = (saltus_posix_t *)(void *)transport;
    if (can->fd < 0) {
        const bool is_open = (can->host[0] == '/') ? open_bus(can) : open_interface(can);
        if (!is_open) {
            transport->close(transport);
        }
    }
    return can->fd >= 0;
}

static bool can_write(saltus_transport_t *transport, const uint8_t *data, size_t size) {
    const saltus_posix_t *can = (const saltus_posix_t *)(const void *)transport;
    struct canfd_frame frame = {0};
    frame.can_id = can->can_id | CAN_EFF_FLAG;
    frame.len = (uint8_t)size;
    frame.flags = CANFD_BRS;
    (void)memcpy(frame.data, data, size);
    return sal_posix_write_packet(transport, (const uint8_t *)(const void *)&frame, sizeof(frame));
}

static size_t can_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    const saltus_posix_t *can = (const saltus_posix_t *)(const void *)transport;
    struct canfd_frame frame;
    const size_t size = sal_posix_read(transport, (uint8_t *)(void *)&frame, sizeof(frame), timeout);
    if ((size < (sizeof(frame) - sizeof(frame.data))) || (frame.can_id != (can->can_id | CAN_EFF_FLAG)) ||
        (frame.len > capacity) || (frame.len > sizeof(frame.data))) {
        return 0U;
    }
    (void)memcpy(buffer, frame.data, frame.len);
    return frame.len;
}

void saltus_posix_can_init(saltus_posix_t *can, const char *bus, uint32_t id) {
    sal_posix_init(can, SALTUS_POSIX_CAN, bus, "");
    can->can_id = id;
    can->transport.open = can_open;
    can->transport.write = can_write;
    can->transport.read = can_read;
}
