/* CAN-FD: the first byte of a frame's data is the length of the message, which follows. */
#include "saltus/framing.h"

#include <string.h>

#define FRAME_SIZE 64U

/* Returns the length of a frame's data: the smallest that CAN-FD has and that is at least `size`. */
static size_t frame_length(size_t size) {
    static const uint8_t lengths[] = {12U, 16U, 20U, 24U, 32U, 48U, 64U};
    size_t length = size;
    if (size > 8U) {
        size_t i = 0U;
        while (lengths[i] < size) {
            i++;
        }
        length = lengths[i];
    }
    return length;
}

/* Sends a message in a frame, with its length before it. */
static bool can_write(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    const saltus_can_t *can = (const saltus_can_t *)(const void *)transport;
    uint8_t data[FRAME_SIZE] = {0};
    if (size > SALTUS_CAN_MTU) {
        return false;
    }
    data[0] = (uint8_t)size;
    (void)memcpy(&data[1], message, size);
    return can->frames->write(can->frames, data, frame_length(size + 1U));
}

/* Waits for a frame, and takes the message out of it. */
static size_t can_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    saltus_can_t *can = (saltus_can_t *)(void *)transport;
    uint8_t data[FRAME_SIZE];
    const size_t length = can->frames->read(can->frames, data, FRAME_SIZE, timeout);
    if (length == 0U) {
        return 0U;
    }
    const size_t size = data[0];
    if ((size >= length) || (size > capacity)) {
        can->dropped++;
        return 0U;
    }
    (void)memcpy(buffer, &data[1], size);
    return size;
}

/* Opens the frames. */
static bool can_open(saltus_transport_t *transport) {
    saltus_can_t *can = (saltus_can_t *)(void *)transport;
    return can->frames->open(can->frames);
}

/* Closes the frames. */
static void can_close(saltus_transport_t *transport) {
    saltus_can_t *can = (saltus_can_t *)(void *)transport;
    can->frames->close(can->frames);
}

void saltus_can_init(saltus_can_t *can, saltus_transport_t *frames) {
    can->transport.open = can_open;
    can->transport.close = can_close;
    can->transport.write = can_write;
    can->transport.read = can_read;
    can->frames = frames;
    can->dropped = 0U;
}
