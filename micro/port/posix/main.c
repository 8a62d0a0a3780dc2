/*
 * Runs an application on Linux:
 *   app udp HOST PORT | tcp HOST PORT | serial DEVICE BAUD | can BUS ID
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "saltus_posix.h"

/* The number of frames that fit into the memory of the streams. */
#define CAN_HISTORY ((APP_HISTORY * (APP_MTU + 2U)) / (SALTUS_CAN_MTU + 2U))

static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

void app_print(const char *line) {
    (void)puts(line);
    (void)fflush(stdout);
}

static saltus_posix_t line;
static saltus_stream_line_t stream;
static saltus_serial_t serial;
static saltus_can_t can;

/* Returns the transport that the arguments name, or `NULL`. */
static saltus_transport_t *transport_of(const char *kind, const char *place, const char *port) {
    if (strcmp(kind, "udp") == 0) {
        saltus_posix_udp_init(&line, place, port);
        return &line.transport;
    }
    if (strcmp(kind, "tcp") == 0) {
        saltus_posix_tcp_init(&line, place, port);
        saltus_stream_line_init(&stream, &line.transport);
        return &stream.transport;
    }
    if (strcmp(kind, "serial") == 0) {
        saltus_posix_serial_init(&line, place, port);
        saltus_serial_init(&serial, &line.transport, 1U);
        return &serial.transport;
    }
    if (strcmp(kind, "can") == 0) {
        saltus_posix_can_init(&line, place, (uint32_t)strtoul(port, NULL, 0));
        saltus_can_init(&can, &line.transport);
        return &can.transport;
    }
    return NULL;
}

static int run(saltus_session_t *session) {
    saltus_status_t status = app_init(session);
    while ((status == SALTUS_OK) && (stopped == 0)) {
        status = saltus_spin_once(session, 100 * SALTUS_MILLISECOND);
    }
    saltus_session_end(session);
    if (status != SALTUS_OK) {
        (void)fprintf(stderr, "%s\n", saltus_status_text(status));
    }
    return (status == SALTUS_OK) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments) {
    static saltus_config_t config;
    static saltus_session_t session;
    app_configure(&config);
    config.transport = (count == 4) ? transport_of(arguments[1], arguments[2], arguments[3]) : NULL;
    if (config.transport == NULL) {
        (void)fprintf(stderr, "usage: %s udp HOST PORT | tcp HOST PORT | serial DEVICE BAUD | can BUS ID\n",
                      arguments[0]);
        return EXIT_FAILURE;
    }
    if (config.transport == &can.transport) {
        /* The same memory, for more and shorter messages. */
        config.mtu = SALTUS_CAN_MTU;
        config.history_out = CAN_HISTORY;
        config.history_in = CAN_HISTORY;
    }
    config.now = saltus_posix_now;
    config.boot = saltus_posix_random();
    config.key = config.boot | 1U;
    (void)signal(SIGINT, stop);
    (void)signal(SIGTERM, stop);
    const saltus_status_t status = saltus_session_init(&session, &config);
    if (status != SALTUS_OK) {
        (void)fprintf(stderr, "%s\n", saltus_status_text(status));
        return EXIT_FAILURE;
    }
    return run(&session);
}
