/* The baseline of the timer benchmark: only `clock_nanosleep` until absolute times one timeout apart, with a timer
 * slack of 1 ns. With a spin tail, it stops sleeping that long before each time, and then reads the clock in a loop.
 *
 * Follows "Timers" of bench/peers/README.md.
 */
#include "pingpong.h"

#include <sys/prctl.h>

#define CHECKED(call) \
    if (call) { \
        perror(#call); \
        return 1; \
    }

static void sleep_until(uint64_t at) {
    struct timespec t = {.tv_sec = at / 1000000000u, .tv_nsec = at % 1000000000u};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) {
    }
}

int main(int argc, char **argv) {
    uint64_t period = number_of(argc, argv, "--timeout-us") * 1000;
    uint64_t tail = number_of(argc, argv, "--tail-us") * 1000;
    size_t n = number_of(argc, argv, "--count") + 1;
    long cpu = number_of(argc, argv, "--cpu");
    uint64_t *times = calloc(n, sizeof *times);
    FILE *out = fopen(text_of(argc, argv, "--out"), "wb");
    CHECKED(!times || !out);
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        CHECKED(sched_setaffinity(0, sizeof set, &set));
    }
    CHECKED(prctl(PR_SET_TIMERSLACK, 1));
    usage begin = used();
    uint64_t next = clock_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < n; i++) {
        next += period;
        sleep_until(next - tail);
        do times[i] = clock_ns(CLOCK_MONOTONIC);
        while (tail && times[i] < next);
    }
    usage end = used();
    CHECKED(fwrite(times, sizeof *times, n, out) != n || fclose(out));
    printf("n=%zu lost=0 ", n);
    print_used(begin, end, 0);
    printf(" version=libc\n");
    return 0;
}
