/** The port for FreeRTOS: its clock. Transports come with the network, see `port/lwip`. */
#ifndef SALTUS_FREERTOS_H
#define SALTUS_FREERTOS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the time since the scheduler has started in nanoseconds, with the resolution of a tick. */
int64_t saltus_freertos_now(void);

#ifdef __cplusplus
}
#endif

#endif
