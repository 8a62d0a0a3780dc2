/* What the programs of the timer benchmark in C and C++ share: the times of the timeouts, and the file that they are written to.
 *
 * It follows "Timers" of bench/peers/README.md.
 */
#ifndef SALTUS_BENCH_TIMES_H
#define SALTUS_BENCH_TIMES_H

#include "pingpong.h"

typedef struct {
    uint64_t timeout_ns;
    /* The times: one more than the number of intervals. */
    uint64_t *all;
    size_t wanted, count;
    FILE *out;
    usage start;
} timeouts;

/* Reads the command line and makes the process run on its CPU. Ends the process if that fails. */
static inline timeouts new_timeouts(int argc, char **argv) {
    timeouts t;
    t.timeout_ns = (uint64_t)number_of(argc, argv, "--timeout-us") * 1000u;
    t.wanted = (size_t)number_of(argc, argv, "--count") + 1;
    t.count = 0;
    t.all = (uint64_t *)calloc(t.wanted, sizeof *t.all);
    t.out = fopen(text_of(argc, argv, "--out"), "wb");
    if (!t.all || !t.out) {
        perror("can't record times");
        exit(1);
    }
    run_on(number_of(argc, argv, "--cpu"));
    t.start = used();
    return t;
}

/* Notes a timeout. Returns whether more are wanted. */
static inline bool note_timeout(timeouts *t, uint64_t now) {
    if (t->count < t->wanted) t->all[t->count++] = now;
    return t->count < t->wanted;
}

/* Writes the times, and prints the other figures. Returns what `main` returns. */
static inline int write_timeouts(const timeouts *t, const char *version) {
    usage end = used();
    if (fwrite(t->all, sizeof *t->all, t->count, t->out) != t->count || fclose(t->out)) {
        perror("can't write the times");
        return 1;
    }
    printf("n=%zu lost=0 ", t->count);
    print_used(t->start, end, 0);
    printf(" version=%s\n", version);
    return 0;
}

#endif
