/* The properties of the compiler, for lwIP. */
#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stdint.h>
#include <sys/time.h>

#include "board.h"

#define LWIP_ERRNO_STDINCLUDE 1
#define LWIP_PLATFORM_DIAG(message)
#define LWIP_PLATFORM_ASSERT(message) \
    do {                              \
        board_print(message);         \
        board_exit(6);                \
    } while (0)
#define LWIP_RAND() board_random()

#endif
