/* Many clients in one process: each has its own session, socket and memory. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "bench.h"
#include "saltus/saltus.h"
#include "saltus_posix.h"
#include "std_msgs/msg/u_int8_multi_array.h"

#define MTU 512U
#define HISTORY 4U
#define DATA 52U
#define PERIOD (SALTUS_SECOND / 10)
#define READY_EVENTS 256

/* A client with all of its memory. */
typedef struct member {
    saltus_posix_t udp;
    saltus_config_t config;
    saltus_session_t session;
    saltus_node_t node;
    saltus_publisher_t publisher;
    saltus_subscription_t subscription;
    std_msgs__msg__UInt8MultiArray received;
    uint8_t data[256];
    uint8_t receive[MTU];
    uint8_t best_effort[MTU];
    uint8_t out[SALTUS_STREAM_BYTES(MTU, HISTORY)];
    uint8_t in[SALTUS_STREAM_BYTES(MTU, HISTORY)];
    char name[24];
    char topic[24];
} member_t;

static member_t *members;
static uint32_t count;
static int events_fd;
static int64_t *ways;
static uint32_t way_count;
static uint32_t most_ways;

static void check(saltus_status_t status) {
    if (status != SALTUS_OK) {
        (void)fprintf(stderr, "bench: %s\n", saltus_status_text(status));
        exit(EXIT_FAILURE);
    }
}

/* A message of the host has the time when it was published. */
static void note_message(void *context, const void *message) {
    const std_msgs__msg__UInt8MultiArray *array = message;
    int64_t stamp;
    (void)context;
    if ((array->data.size >= 12U) && (way_count < most_ways)) {
        (void)memcpy(&stamp, &array->data.data[4], sizeof(stamp));
        ways[way_count] = saltus_posix_now() - stamp;
        way_count++;
    }
}

static void begin_member(member_t *member, uint32_t number, const char *place, const char *port,
                         const options_t *options) {
    const saltus_config_t defaults = {SALTUS_CONFIG_DEFAULTS, .mtu = MTU, .history_out = HISTORY, .history_in = HISTORY,
                                      .now = saltus_posix_now};
    const saltus_qos_t qos = {options->reliable, false, 10U};
    saltus_posix_udp_init(&member->udp, place, port);
    member->config = defaults;
    member->config.transport = &member->udp.transport;
    member->config.key = 0x10000000U + number;
    member->config.boot = saltus_posix_random();
    member->config.receive = member->receive;
    member->config.best_effort = member->best_effort;
    member->config.reliable_out = member->out;
    member->config.reliable_in = member->in;
    member->received.data.data = member->data;
    member->received.data.capacity = sizeof(member->data);
    (void)snprintf(member->name, sizeof(member->name), "member_%u", (unsigned)number);
    (void)snprintf(member->topic, sizeof(member->topic), "micro_down_%u", (unsigned)number);
    check(saltus_session_init(&member->session, &member->config));
    check(saltus_node_init(&member->node, &member->session, member->name, "", 0U));
    check(saltus_publisher_init(&member->publisher, &member->node, &std_msgs__msg__UInt8MultiArray__type, "micro_flood",
                                qos));
    check(saltus_subscription_init(&member->subscription, &member->node, &std_msgs__msg__UInt8MultiArray__type,
                                   member->topic, qos, &member->received, note_message, NULL));
}

/* Lets those clients work that have received something. Waits at most `timeout` nanoseconds for the first one. */
static void serve(int64_t timeout) {
    struct epoll_event ready[READY_EVENTS];
    const struct timespec wait = {(time_t)(timeout / SALTUS_SECOND), (long)(timeout % SALTUS_SECOND)};
    const int found = epoll_pwait2(events_fd, ready, READY_EVENTS, &wait, NULL);
    for (int i = 0; i < found; i++) {
        check(saltus_spin_once(&members[ready[i].data.u32].session, 0));
    }
}

static void connect_all(void) {
    for (uint32_t i = 0U; i < count; i++) {
        struct epoll_event event = {0};
        check(saltus_wait_ready(&members[i].session, 10 * SALTUS_SECOND));
        event.events = EPOLLIN;
        event.data.u32 = i;
        if (epoll_ctl(events_fd, EPOLL_CTL_ADD, members[i].udp.fd, &event) != 0) {
            perror("epoll");
            exit(EXIT_FAILURE);
        }
    }
}

/* Each client publishes ten times in a second, one after the other. Returns how many messages were published. */
static uint64_t run(double seconds, uint64_t *refused) {
    static uint8_t data[DATA];
    std_msgs__msg__UInt8MultiArray message = {0};
    uint64_t sent = 0U;
    const int64_t begun = saltus_posix_now();
    const int64_t end = begun + (int64_t)(seconds * 1e9);
    int64_t due = begun;
    uint32_t at = 0U;
    message.data.data = data;
    message.data.size = DATA;
    while (due < end) {
        const int64_t left = due - saltus_posix_now();
        if (left > 0) {
            serve(left);
            continue;
        }
        (void)memcpy(data, &sent, 4U);
        /* This also sends what is due to the session: heartbeats and acknowledgements. */
        check(saltus_spin_once(&members[at].session, 0));
        if (saltus_publish(&members[at].publisher, &message) == SALTUS_OK) {
            sent++;
        } else {
            (*refused)++;
        }
        at = (at + 1U) % count;
        due += PERIOD / (int64_t)count;
    }
    return sent;
}

/* Receives what is still on its way. */
static void serve_rest(void) {
    const int64_t rest = saltus_posix_now() + SALTUS_SECOND;
    while (saltus_posix_now() < rest) {
        serve(SALTUS_MILLISECOND);
    }
}

void run_crowd(const char *transport, const char *place, const char *port, const options_t *options) {
    uint64_t refused = 0U;
    uint32_t lost = 0U;
    (void)transport;
    count = options->count;
    members = calloc(count, sizeof(*members));
    most_ways = (uint32_t)((options->seconds + 5.0) * 10.0 * (double)count);
    ways = calloc(most_ways, sizeof(*ways));
    events_fd = epoll_create1(0);
    if ((members == NULL) || (ways == NULL) || (events_fd < 0)) {
        perror("bench");
        exit(EXIT_FAILURE);
    }
    for (uint32_t i = 0U; i < count; i++) {
        begin_member(&members[i], i, place, port, options);
    }
    connect_all();
    (void)puts("ready=1");
    (void)fflush(stdout);
    (void)getchar();
    way_count = 0U;
    const uint64_t sent = run(options->seconds, &refused);
    (void)puts("done=1");
    (void)fflush(stdout);
    serve_rest();
    (void)getchar();
    for (uint32_t i = 0U; i < count; i++) {
        lost += members[i].session.counters.lost_out + members[i].session.counters.lost_in;
        saltus_session_end(&members[i].session);
    }
    for (uint32_t i = 0U; i < way_count; i++) {
        (void)printf("%lld\n", (long long)ways[i]);
    }
    (void)printf("sent=%llu refused=%llu received=%u lost=%u\n", (unsigned long long)sent, (unsigned long long)refused,
                 (unsigned)way_count, (unsigned)lost);
}
