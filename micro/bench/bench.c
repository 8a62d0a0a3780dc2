/*
 * The client's side of `saltus bench micro`, and the bare exchanges beside it.
 *
 *   bench rtt TRANSPORT PLACE PORT OPTIONS     publishes a message, waits until it comes back through the agent, repeats
 *   bench flood TRANSPORT PLACE PORT OPTIONS   publishes for a time
 *   bench latency TRANSPORT PLACE PORT OPTIONS exchanges messages with a node of the host
 *   bench crowd udp PLACE PORT OPTIONS         `count` clients that publish and receive ten times in a second
 *   bench bus can PLACE ANY                    a CAN bus with two members on a socket
 *   bench pong udp|tcp|serial PLACE PORT OPTIONS   the bare exchange: returns what comes
 *   bench ping udp|tcp|serial PLACE PORT OPTIONS   the bare exchange: sends, and waits for the answer
 *
 * It prints round trips in nanoseconds, one in a line, or counts as `name=value` words.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
    (void)fprintf(stderr, "bench: %s\n", what);
    exit(EXIT_FAILURE);
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if ((cpu >= 0) && (sched_setaffinity(0, sizeof(set), &set) != 0)) {
        fail("can't run on this CPU");
    }
}

/* Reads the options, `name=value` each. */
static options_t read_options(int count, char **words) {
    options_t options = {
        .size = 64U, .count = 10000U, .warmup = 200U, .seconds = 5.0, .mtu = 512U, .history = 4U, .cpu = -1};
    for (int i = 0; i < count; i++) {
        char name[16];
        double value;
        if (sscanf(words[i], "%15[a-z]=%lf", name, &value) != 2) {
            fail("an option is not name=value");
        }
        if (strcmp(name, "size") == 0) {
            options.size = (uint32_t)value;
        } else if (strcmp(name, "count") == 0) {
            options.count = (uint32_t)value;
        } else if (strcmp(name, "warmup") == 0) {
            options.warmup = (uint32_t)value;
        } else if (strcmp(name, "seconds") == 0) {
            options.seconds = value;
        } else if (strcmp(name, "rate") == 0) {
            options.rate = value;
        } else if (strcmp(name, "baud") == 0) {
            options.bits_per_second = value;
        } else if (strcmp(name, "mtu") == 0) {
            options.mtu = (uint16_t)value;
        } else if (strcmp(name, "history") == 0) {
            options.history = (uint8_t)value;
        } else if (strcmp(name, "reliable") == 0) {
            options.reliable = value != 0.0;
        } else if (strcmp(name, "packs") == 0) {
            options.packs = value != 0.0;
        } else if (strcmp(name, "cpu") == 0) {
            options.cpu = (int)value;
        } else if (strcmp(name, "key") == 0) {
            options.key = (uint32_t)value;
        } else {
            fail("unknown option");
        }
    }
    return options;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*run)(const char *transport, const char *place, const char *port, const options_t *options);
    } modes[] = {{"rtt", run_rtt}, {"flood", run_flood}, {"latency", run_latency}, {"crowd", run_crowd},
                 {"bus", run_bus}, {"ping", run_ping},   {"pong", run_pong}};
    if (count < 5) {
        fail("expected a mode, a transport, a place and a port");
    }
    const options_t options = read_options(count - 5, &words[5]);
    pin(options.cpu);
    for (size_t i = 0U; i < (sizeof(modes) / sizeof(modes[0])); i++) {
        if (strcmp(words[1], modes[i].name) == 0) {
            modes[i].run(words[2], words[3], words[4], &options);
            return EXIT_SUCCESS;
        }
    }
    fail("unknown mode");
}
