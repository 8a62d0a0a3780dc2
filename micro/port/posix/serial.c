/* Serial devices, USB-CDC devices and pseudo-terminals. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "posix_internal.h"

typedef struct speed {
    long baud;
    speed_t code;
} speed_row_t;

static const speed_row_t speeds[] = {
    {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
    {115200, B115200},   {230400, B230400},   {460800, B460800},   {921600, B921600},
    {1000000, B1000000}, {2000000, B2000000}, {3000000, B3000000}, {4000000, B4000000},
};

/* Returns the code of a speed, or B0 if the system does not have it. */
static speed_t code_of(const char *baud) {
    const long wanted = strtol(baud, NULL, 10);
    for (size_t i = 0U; i < (sizeof(speeds) / sizeof(speeds[0])); i++) {
        if (speeds[i].baud == wanted) {
            return speeds[i].code;
        }
    }
    return B0;
}

/* Bytes pass as they are. */
static bool set_raw(int fd, speed_t speed) {
    struct termios settings;
    if ((speed == B0) || (tcgetattr(fd, &settings) != 0)) {
        return false;
    }
    cfmakeraw(&settings);
    settings.c_cflag |= (tcflag_t)(CLOCAL | CREAD);
    return (cfsetspeed(&settings, speed) == 0) && (tcsetattr(fd, TCSANOW, &settings) == 0);
}

static bool serial_open(saltus_transport_t *transport) {
    saltus_posix_t *serial = (saltus_posix_t *)(void *)transport;
    if (serial->fd < 0) {
        serial->fd = open(serial->host, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if ((serial->fd >= 0) && !set_raw(serial->fd, code_of(serial->port))) {
            transport->close(transport);
        }
    }
    return serial->fd >= 0;
}

void saltus_posix_serial_init(saltus_posix_t *serial, const char *device, const char *baud) {
    sal_posix_line_init(serial, SALTUS_POSIX_SERIAL, device, baud);
    serial->transport.open = serial_open;
}
