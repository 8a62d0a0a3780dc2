/* The ping-pong loop that all C and C++ rows of the benchmarks share, whatever transports the messages.
 *
 * It is the same loop as bench/saltus-bench-pingpong, for C and C++. Both follow bench/peers/README.md, so that all rows stamp,
 * check, time and count messages in the same way. A peer fills in a `transport` and calls `run`. A peer whose library calls
 * callbacks calls `note_reply` and `note_echo` there.
 */
#ifndef SALTUS_BENCH_PINGPONG_H
#define SALTUS_BENCH_PINGPONG_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define END UINT64_MAX
#define REPLY_MS 1000
#define IDLE_MS 10000
#define WHOLE_EVERY 100

typedef struct {
    bool is_ping;
    const char *mode, *tag, *out;
    size_t size;
    uint64_t iterations, warmup, seconds;
    long cpu, period_us;
} arguments;

/* A transport for messages. The functions return 0, or -1 after they have printed the reason to the standard error. */
typedef struct {
    void *self;
    int (*send)(void *self, const uint8_t *data, size_t len);
    /* Waits for a message. Returns 1 if there is one, which is valid until `release`, and 0 after the timeout. */
    int (*receive)(void *self, const uint8_t **data, size_t *len, int timeout_ms);
    void (*release)(void *self);
    const char *version;
    /* The number of feedback messages since the first measured round trip; NULL if there is no feedback. */
    const uint64_t *feedback;
    /* The time that `note_reply` returned in the callback; NULL if the library calls no callback. */
    const uint64_t *replied;
} transport;

typedef struct {
    uint64_t wall_ns, cpu_ns, switches;
} usage;

static inline uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns the number of context switches of all threads of this process. */
static inline uint64_t context_switches(void) {
    uint64_t sum = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        if (task->d_name[0] == '.') continue; /* `..` is the folder of the main thread. */
        char path[300], line[200];
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        while (status && fgets(line, sizeof line, status)) {
            const char *colon = strstr(line, "ctxt_switches:");
            if (colon) sum += strtoull(colon + strlen("ctxt_switches:"), NULL, 10);
        }
        if (status) fclose(status);
    }
    if (tasks) closedir(tasks);
    return sum;
}

static inline usage used(void) {
    usage u = {clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID), context_switches()};
    return u;
}

/* Prints the resources that were used between `start` and `end`, without the time `comparing`. */
static inline void print_used(usage start, usage end, uint64_t comparing) {
    printf("wall_ns=%" PRIu64 " cpu_ns=%" PRIu64 " ctxsw=%" PRIu64, end.wall_ns - start.wall_ns - comparing,
           end.cpu_ns - start.cpu_ns - comparing, end.switches - start.switches);
}

static inline const char *text_of(int argc, char **argv, const char *name) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    fprintf(stderr, "expected %s with a value\n", name);
    exit(2);
}

static inline long number_of(int argc, char **argv, const char *name) {
    return strtol(text_of(argc, argv, name), NULL, 10);
}

/* Makes the process run on a CPU, unless the number is negative. */
static inline void run_on(long cpu) {
    if (cpu < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("can't run on that CPU");
        exit(1);
    }
}

/* Reads the command line and makes the process run on its CPU. */
static inline arguments parse(int argc, char **argv) {
    if (argc < 2 || (strcmp(argv[1], "ping") != 0 && strcmp(argv[1], "pong") != 0)) {
        fprintf(stderr, "expected `ping` or `pong`\n");
        exit(2);
    }
    arguments a;
    a.is_ping = strcmp(argv[1], "ping") == 0;
    a.mode = text_of(argc, argv, "--mode");
    a.tag = text_of(argc, argv, "--tag");
    a.out = text_of(argc, argv, "--out");
    a.size = (size_t)number_of(argc, argv, "--size");
    if (a.size < 16) a.size = 16;
    a.iterations = (uint64_t)number_of(argc, argv, "--iterations");
    a.warmup = (uint64_t)number_of(argc, argv, "--warmup");
    a.seconds = (uint64_t)number_of(argc, argv, "--seconds");
    a.cpu = number_of(argc, argv, "--cpu");
    a.period_us = number_of(argc, argv, "--period-us");
    run_on(a.cpu);
    return a;
}

static inline uint8_t pattern(size_t i) { return (uint8_t)((i * 31) >> 2); }

static inline void stamp(uint8_t *data, size_t len, uint64_t sequence) {
    memcpy(data, &sequence, 8);
    memcpy(data + len - 8, &sequence, 8);
}

static inline uint64_t stamp_at(const uint8_t *data, size_t at) {
    uint64_t stamp;
    memcpy(&stamp, data + at, 8);
    return stamp;
}

static inline bool is_intact(const uint8_t *data, size_t len) {
    for (size_t i = 8; i < len - 8; i++)
        if (data[i] != pattern(i)) return false;
    return true;
}

/* Sleeps until the next time at which a round trip starts, and returns that time. The times are one period apart. Times
 * that have passed already are skipped: after a late round trip, the next ones do not start faster. With a period of 0,
 * returns at once. */
static inline uint64_t pace(uint64_t due, long period_us) {
    if (period_us <= 0) return due;
    const uint64_t period = (uint64_t)period_us * 1000u, now = clock_ns(CLOCK_MONOTONIC);
    due = due == 0 ? now : due + period;
    if (due < now) due += (now - due + period - 1) / period * period;
    const struct timespec until = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
    return due;
}

/* Reads the stamps of a reply in the callback that receives it, and returns the time. */
static inline uint64_t note_reply(const uint8_t *data, size_t len) {
    const volatile uint64_t stamps = stamp_at(data, 0) ^ stamp_at(data, len - 8);
    (void)stamps;
    return clock_ns(CLOCK_MONOTONIC);
}

static inline int ping(const arguments *a, transport *t) {
    uint8_t *data = (uint8_t *)malloc(a->size);
    uint32_t *nanos = (uint32_t *)malloc(sizeof *nanos * a->iterations);
    for (size_t i = 0; i < a->size; i++) data[i] = pattern(i);
    uint64_t n = 0, lost = 0, compared = 0, due = 0;
    usage start = used();
    for (uint64_t sequence = 0; sequence < a->warmup + a->iterations; sequence++) {
        if (sequence == a->warmup) {
            n = lost = compared = 0;
            start = used();
        }
        if (sequence > a->warmup && clock_ns(CLOCK_MONOTONIC) - start.wall_ns >= a->seconds * 1000000000u) break;
        due = pace(due, a->period_us);
        const uint8_t *reply;
        size_t len;
        uint64_t begin = clock_ns(CLOCK_MONOTONIC);
        stamp(data, a->size, sequence);
        if (t->send(t->self, data, a->size) != 0) return 1;
        int got = t->receive(t->self, &reply, &len, REPLY_MS);
        if (got < 0) return 1;
        if (got == 0) {
            lost++;
            continue;
        }
        uint64_t first = stamp_at(reply, 0), last = stamp_at(reply, len - 8);
        uint64_t took = (t->replied ? *t->replied : clock_ns(CLOCK_MONOTONIC)) - begin;
        bool intact = true;
        if (sequence % WHOLE_EVERY == 0) {
            uint64_t before = clock_ns(CLOCK_MONOTONIC);
            intact = is_intact(reply, len);
            compared += clock_ns(CLOCK_MONOTONIC) - before;
        }
        t->release(t->self);
        if (len != a->size || first != sequence || last != sequence || !intact) {
            fprintf(stderr, "message %" PRIu64 " came back changed (%zu bytes, stamps %" PRIu64 " and %" PRIu64 ")\n",
                    sequence, len, first, last);
            return 1;
        }
        if (sequence >= a->warmup) nanos[n] = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
        n++;
    }
    usage end = used();
    const uint64_t feedback = t->feedback ? *t->feedback : 0;
    FILE *out = fopen(a->out, "wb");
    if (!out || fwrite(nanos, sizeof *nanos, n, out) != n || fclose(out) != 0) {
        perror(a->out);
        return 1;
    }
    printf("n=%" PRIu64 " lost=%" PRIu64 " ", n, lost);
    print_used(start, end, compared);
    if (t->feedback) printf(" feedback=%" PRIu64, feedback);
    printf(" version=%s\n", t->version);
    stamp(data, a->size, END);
    for (int i = 0; i < 3; i++) t->send(t->self, data, a->size);
    free(data);
    free(nanos);
    return 0;
}

/* What a pong has used since the first measured message. */
typedef struct {
    usage start;
    bool measuring;
} echoes;

static inline echoes new_echoes(void) {
    echoes e = {used(), false};
    return e;
}

/* Notes a received message. Returns whether it must be sent back. */
static inline bool note_echo(echoes *e, const arguments *a, const uint8_t *data) {
    const uint64_t sequence = stamp_at(data, 0);
    if (!e->measuring && sequence >= a->warmup) {
        e->measuring = true;
        e->start = used();
    }
    return sequence != END;
}

static inline void print_echoes(const echoes *e) {
    print_used(e->start, used(), 0);
    printf("\n");
}

static inline int pong(const arguments *a, transport *t) {
    echoes e = new_echoes();
    const uint8_t *data;
    size_t len;
    while (t->receive(t->self, &data, &len, IDLE_MS) > 0 && note_echo(&e, a, data)) {
        if (t->send(t->self, data, len) != 0) return 1;
        t->release(t->self);
    }
    print_echoes(&e);
    return 0;
}

static inline int run(const arguments *a, transport *t) { return a->is_ping ? ping(a, t) : pong(a, t); }

#endif
