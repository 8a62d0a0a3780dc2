/* The baseline of the timer benchmark: only `clock_nanosleep` until absolute times one timeout apart, with a timer
 * slack of 1 ns. With a spin tail, it stops sleeping that long before each time, and then reads the clock in a loop.
 *
 * Follows "Timers" of bench/peers/README.md.
 */
#include "times.h"

#include <sys/prctl.h>

static void sleep_until(uint64_t at) {
    struct timespec t = {.tv_sec = at / 1000000000u, .tv_nsec = at % 1000000000u};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) {
    }
}

int main(int argc, char **argv) {
    timeouts t = new_timeouts(argc, argv);
    uint64_t tail = number_of(argc, argv, "--tail-us") * 1000;
    if (prctl(PR_SET_TIMERSLACK, 1)) {
        perror("can't set the timer slack");
        return 1;
    }
    uint64_t next = clock_ns(CLOCK_MONOTONIC), now;
    do {
        next += t.timeout_ns;
        sleep_until(next - tail);
        do now = clock_ns(CLOCK_MONOTONIC);
        while (tail && now < next);
    } while (note_timeout(&t, now));
    return write_timeouts(&t, "libc");
}
