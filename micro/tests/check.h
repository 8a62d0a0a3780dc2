/** Checks of the tests: a check that fails prints its line and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            (void)fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
            exit(EXIT_FAILURE);                                                           \
        }                                                                                 \
    } while (0)

#endif
