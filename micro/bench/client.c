/* The modes that use the library. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "saltus/saltus.h"
#include "saltus_posix.h"
#include "std_msgs/msg/u_int8_multi_array.h"

#define LARGEST 65536U

/* A message is `std_msgs/msg/UInt8MultiArray`: 12 bytes and its data, which begin with these fields. */
#define ARRAY_SIZE 12U
#define NUMBER_SIZE 4U
#define STAMPS_SIZE 16U

typedef struct payload {
    std_msgs__msg__UInt8MultiArray array;
    uint8_t data[LARGEST];
} payload_t;

static void payload_init(payload_t *payload, uint32_t size) {
    const uint32_t data = (size > (ARRAY_SIZE + NUMBER_SIZE)) ? (size - ARRAY_SIZE) : NUMBER_SIZE;
    payload->array.data.data = payload->data;
    payload->array.data.size = data;
    payload->array.data.capacity = LARGEST;
}

static uint32_t number_of(const void *message) {
    const std_msgs__msg__UInt8MultiArray *array = message;
    uint32_t number = 0U;
    if (array->data.size >= NUMBER_SIZE) {
        (void)memcpy(&number, array->data.data, NUMBER_SIZE);
    }
    return number;
}

static void set_number(payload_t *payload, uint32_t number) {
    (void)memcpy(payload->data, &number, NUMBER_SIZE);
}

static saltus_posix_t line;
static saltus_stream_line_t stream;
static saltus_serial_t serial;
static saltus_can_t can;
static double line_rate;
static int64_t line_free_at;
static bool (*line_write)(saltus_transport_t *transport, const uint8_t *bytes, size_t size);
static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

static void sleep_until(int64_t at) {
    const struct timespec time = {(time_t)(at / SALTUS_SECOND), (long)(at % SALTUS_SECOND)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/* Waits until a line of this speed would have sent what came before. */
static void keep_to_rate(double bits) {
    const int64_t now = saltus_posix_now();
    if (line_free_at > now) {
        sleep_until(line_free_at);
    }
    const int64_t from = (line_free_at > now) ? line_free_at : now;
    line_free_at = from + (int64_t)(bits * 1e9 / line_rate);
}

/* A UART takes ten bits for a byte: with a start bit and a stop bit. */
static bool paced_write(saltus_transport_t *transport, const uint8_t *bytes, size_t size) {
    keep_to_rate(10.0 * (double)size);
    return line_write(transport, bytes, size);
}

/*
 * The bits of a frame of CAN-FD at the data rate: its data, a checksum of 21 bits and the bits that are stuffed; and, at a
 * quarter of that rate, about 60 bits of arbitration and end.
 */
static bool paced_frame(saltus_transport_t *transport, const uint8_t *data, size_t size) {
    keep_to_rate((((8.0 * (double)size) + 21.0) * 1.2) + (60.0 * 4.0));
    return line_write(transport, data, size);
}

static saltus_transport_t *transport_of(const char *kind, const char *place, const char *port, double rate) {
    saltus_transport_t *transport = NULL;
    if (strcmp(kind, "udp") == 0) {
        saltus_posix_udp_init(&line, place, port);
        transport = &line.transport;
    } else if (strcmp(kind, "tcp") == 0) {
        saltus_posix_tcp_init(&line, place, port);
        saltus_stream_line_init(&stream, &line.transport);
        transport = &stream.transport;
    } else if (strcmp(kind, "serial") == 0) {
        saltus_posix_serial_init(&line, place, port);
        saltus_serial_init(&serial, &line.transport, 1U);
        transport = &serial.transport;
    } else if (strcmp(kind, "can") == 0) {
        saltus_posix_can_init(&line, place, (uint32_t)strtoul(port, NULL, 0));
        saltus_can_init(&can, &line.transport);
        transport = &can.transport;
    } else {
        (void)fprintf(stderr, "bench: unknown transport %s\n", kind);
        exit(EXIT_FAILURE);
    }
    if (rate > 0.0) {
        line_rate = rate;
        line_write = line.transport.write;
        line.transport.write = (strcmp(kind, "can") == 0) ? paced_frame : paced_write;
    }
    return transport;
}

static void check(saltus_status_t status) {
    if (status != SALTUS_OK) {
        (void)fprintf(stderr, "bench: %s\n", saltus_status_text(status));
        exit(EXIT_FAILURE);
    }
}

static uint8_t receive[LARGEST];
static uint8_t best_effort[LARGEST];
static uint8_t out[256U * LARGEST];
static uint8_t in[256U * LARGEST];
static saltus_config_t config;
static saltus_session_t session;
static saltus_node_t node;
static saltus_publisher_t publisher;
static saltus_subscription_t subscription;
static payload_t received;

static void begin(const char *transport, const char *place, const char *port, const options_t *options) {
    const saltus_config_t defaults = {SALTUS_CONFIG_DEFAULTS, .receive = receive, .best_effort = best_effort,
                                      .reliable_out = out, .reliable_in = in};
    config = defaults;
    config.transport = transport_of(transport, place, port, options->bits_per_second);
    config.now = saltus_posix_now;
    config.boot = saltus_posix_random();
    config.key = (options->key != 0U) ? options->key : (config.boot | 1U);
    config.mtu = options->mtu;
    config.history_in = options->history;
    config.history_out = options->history;
    config.packs = options->packs;
    (void)signal(SIGTERM, stop);
    (void)signal(SIGINT, stop);
    check(saltus_session_init(&session, &config));
    static char node_name[32];
    (void)snprintf(node_name, sizeof(node_name), "bench_%08x", (unsigned)config.key);
    payload_init(&received, 0U);
    check(saltus_node_init(&node, &session, node_name, "", 0U));
}

static saltus_qos_t qos_of(const options_t *options) {
    const saltus_qos_t qos = {options->reliable, false, 100U};
    return qos;
}

static uint32_t returned;

static void note_return(void *context, const void *message) {
    (void)context;
    returned = number_of(message);
}

void run_rtt(const char *transport, const char *place, const char *port, const options_t *options) {
    static payload_t payload;
    uint32_t lost = 0U;
    begin(transport, place, port, options);
    payload_init(&payload, options->size);
    check(saltus_publisher_init(&publisher, &node, &std_msgs__msg__UInt8MultiArray__type, "micro_bench",
                                qos_of(options)));
    check(saltus_subscription_init(&subscription, &node, &std_msgs__msg__UInt8MultiArray__type, "micro_bench",
                                   qos_of(options), &received.array, note_return, NULL));
    check(saltus_wait_ready(&session, 10 * SALTUS_SECOND));
    /* The agent of others matches its own ends some time after it has created them. */
    check(saltus_spin_for(&session, SALTUS_SECOND / 2));
    for (uint32_t i = 0U; (i < (options->warmup + options->count)) && (stopped == 0); i++) {
        const uint32_t number = i + 1U;
        set_number(&payload, number);
        const int64_t sent = saltus_posix_now();
        check(saltus_publish(&publisher, &payload.array));
        while ((returned != number) && ((saltus_posix_now() - sent) < SALTUS_SECOND)) {
            check(saltus_spin_once(&session, SALTUS_SECOND / 10));
        }
        const int64_t took = saltus_posix_now() - sent;
        if (returned != number) {
            lost++;
        } else if (i >= options->warmup) {
            (void)printf("%lld\n", (long long)took);
        } else {
            /* It is not counted yet. */
        }
        /* Acknowledged messages are not part of the next round trip. */
        if (options->reliable) {
            check(saltus_wait_acknowledged(&session, SALTUS_SECOND));
        }
    }
    (void)printf("lost=%u\n", (unsigned)lost);
    saltus_session_end(&session);
}

/* Publishes as many messages as the stream takes. Returns their number. */
static uint32_t publish_some(payload_t *payload, uint32_t first, uint32_t most) {
    uint32_t count = 0U;
    saltus_status_t status = SALTUS_OK;
    while ((count < most) && (status == SALTUS_OK)) {
        set_number(payload, first + count);
        status = saltus_publish(&publisher, &payload->array);
        if (status == SALTUS_OK) {
            count++;
        }
    }
    if (status != SALTUS_FULL) {
        check(status);
    }
    return count;
}

void run_flood(const char *transport, const char *place, const char *port, const options_t *options) {
    static payload_t payload;
    uint64_t sent = 0U;
    begin(transport, place, port, options);
    payload_init(&payload, options->size);
    check(saltus_publisher_init(&publisher, &node, &std_msgs__msg__UInt8MultiArray__type, "micro_flood",
                                qos_of(options)));
    check(saltus_wait_ready(&session, 10 * SALTUS_SECOND));
    (void)puts("ready=1");
    (void)fflush(stdout);
    (void)getchar();
    const int64_t begun = saltus_posix_now();
    const int64_t end = begun + (int64_t)(options->seconds * 1e9);
    int64_t now = begun;
    while ((now < end) && (stopped == 0)) {
        /* One at a time if the line is slow, so that the time is looked at often enough. */
        uint32_t most = (options->bits_per_second > 0.0) ? 1U : 16U;
        if (options->rate > 0.0) {
            const double due = options->rate * ((double)(now - begun) / 1e9);
            most = (due > (double)sent) ? (uint32_t)(due - (double)sent) : 0U;
        }
        const uint32_t count = publish_some(&payload, (uint32_t)sent, most);
        sent += count;
        /* A wait only if nothing could be published. */
        check(saltus_spin_once(&session, (count == 0U) ? (SALTUS_MILLISECOND / 10) : 0));
        now = saltus_posix_now();
    }
    if (options->reliable) {
        (void)saltus_wait_acknowledged(&session, 10 * SALTUS_SECOND);
        now = saltus_posix_now();
    }
    (void)printf("sent=%llu nanoseconds=%lld lost=%u\n", (unsigned long long)sent, (long long)(now - begun),
                 (unsigned)session.counters.lost_out);
    (void)fflush(stdout);
    (void)getchar();
    saltus_session_end(&session);
}

static int64_t answered_at;
static uint64_t answer_stamp;
static uint32_t answer_way;

/* The host answers with the time when it did, and with how long the message was on its way. */
static void note_answer(void *context, const void *message) {
    const std_msgs__msg__UInt8MultiArray *array = message;
    (void)context;
    if (array->data.size >= STAMPS_SIZE) {
        answered_at = saltus_posix_now();
        returned = number_of(message);
        (void)memcpy(&answer_stamp, &array->data.data[4], sizeof(answer_stamp));
        (void)memcpy(&answer_way, &array->data.data[12], sizeof(answer_way));
    }
}

/* Prints how long a message took to the host, from the host, and both. */
void run_latency(const char *transport, const char *place, const char *port, const options_t *options) {
    static payload_t payload;
    uint32_t lost = 0U;
    begin(transport, place, port, options);
    payload_init(&payload, (options->size > (ARRAY_SIZE + STAMPS_SIZE)) ? options->size : (ARRAY_SIZE + STAMPS_SIZE));
    check(saltus_publisher_init(&publisher, &node, &std_msgs__msg__UInt8MultiArray__type, "micro_up", qos_of(options)));
    check(saltus_subscription_init(&subscription, &node, &std_msgs__msg__UInt8MultiArray__type, "micro_down",
                                   qos_of(options), &received.array, note_answer, NULL));
    check(saltus_wait_ready(&session, 10 * SALTUS_SECOND));
    check(saltus_spin_for(&session, SALTUS_SECOND / 2));
    for (uint32_t i = 0U; (i < (options->warmup + options->count)) && (stopped == 0); i++) {
        const uint32_t number = i + 1U;
        set_number(&payload, number);
        const int64_t sent = saltus_posix_now();
        (void)memcpy(&payload.data[4], &sent, sizeof(sent));
        check(saltus_publish(&publisher, &payload.array));
        while ((returned != number) && ((saltus_posix_now() - sent) < SALTUS_SECOND)) {
            check(saltus_spin_once(&session, SALTUS_SECOND / 10));
        }
        if (returned != number) {
            lost++;
        } else if (i >= options->warmup) {
            (void)printf("%u %lld %lld\n", (unsigned)answer_way, (long long)(answered_at - (int64_t)answer_stamp),
                         (long long)(answered_at - sent));
        } else {
            /* It is not counted yet. */
        }
        if (options->reliable) {
            check(saltus_wait_acknowledged(&session, SALTUS_SECOND));
        }
    }
    (void)printf("lost=%u\n", (unsigned)lost);
    saltus_session_end(&session);
}
