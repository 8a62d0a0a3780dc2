/*
 * A client for the chaos test: `chaotic HOST PORT KEY`. It publishes numbers on `/chaos_KEY`, reliable, as fast as the
 * stream takes them: `run`, `connection` and `number`, in 16, 16 and 32 bits. The numbers of a connection begin with 0.
 * SIGTERM ends it: it waits until everything is acknowledged, and prints the last connection and its next number.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "saltus/saltus.h"
#include "saltus_posix.h"
#include "std_msgs/msg/u_int64.h"

#define MTU 512U
#define HISTORY 8U
#define LEASE_MS 1000U
#define PERIOD (2 * SALTUS_MILLISECOND)

static uint8_t receive[MTU];
static uint8_t out[SALTUS_STREAM_BYTES(MTU, HISTORY)];
static uint8_t in[SALTUS_STREAM_BYTES(MTU, HISTORY)];
static volatile sig_atomic_t stopped;
static uint64_t run;
static uint64_t connection;
static uint64_t next_number;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

static void on_event(saltus_session_t *session, saltus_event_t event, uint32_t detail) {
    (void)session;
    if (event == SALTUS_EVENT_READY) {
        connection++;
        next_number = 0U;
        (void)puts("ready");
    } else if (event == SALTUS_EVENT_DISCONNECTED) {
        (void)printf("disconnected run=%u connection=%u next=%u lost=%u\n", (unsigned)run, (unsigned)connection,
                     (unsigned)next_number, (unsigned)detail);
    } else {
        /* The other events are not of interest. */
    }
    (void)fflush(stdout);
}

int main(int count, char **arguments) {
    static saltus_posix_t udp;
    static saltus_config_t config = {
        SALTUS_CONFIG_DEFAULTS, .mtu = MTU,          .history_out = HISTORY, .history_in = HISTORY,
        .receive = receive,     .reliable_out = out, .reliable_in = in,      .now = saltus_posix_now,
        .on_event = on_event,   .lease_ms = LEASE_MS};
    static saltus_session_t session;
    static saltus_node_t node;
    static saltus_publisher_t publisher;
    static char topic[32];
    CHECK(count == 4);
    (void)snprintf(topic, sizeof(topic), "chaos_%s", arguments[3]);
    saltus_posix_udp_init(&udp, arguments[1], arguments[2]);
    config.transport = &udp.transport;
    config.key = (uint32_t)strtoul(arguments[3], NULL, 10);
    config.boot = saltus_posix_random();
    (void)signal(SIGTERM, stop);
    CHECK(saltus_session_init(&session, &config) == SALTUS_OK);
    CHECK(saltus_node_init(&node, &session, topic, "", 0U) == SALTUS_OK);
    CHECK(saltus_publisher_init(&publisher, &node, &std_msgs__msg__UInt64__type, topic, SALTUS_QOS_DEFAULT) ==
          SALTUS_OK);
    run = config.boot & 0xFFFFU;
    while (stopped == 0) {
        std_msgs__msg__UInt64 message = {(run << 48) | (connection << 32) | next_number};
        if (saltus_is_ready(&session) && (saltus_publish(&publisher, &message) == SALTUS_OK)) {
            next_number++;
        }
        CHECK(saltus_spin_for(&session, PERIOD) == SALTUS_OK);
    }
    const bool is_acknowledged = saltus_wait_acknowledged(&session, 20 * SALTUS_SECOND) == SALTUS_OK;
    (void)printf("end run=%u connection=%u next=%u acknowledged=%d\n", (unsigned)run, (unsigned)connection,
                 (unsigned)next_number, is_acknowledged ? 1 : 0);
    saltus_session_end(&session);
    return is_acknowledged ? EXIT_SUCCESS : EXIT_FAILURE;
}
