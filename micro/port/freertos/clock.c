/* The clock of FreeRTOS. */
#include "FreeRTOS.h"
#include "saltus_freertos.h"
#include "task.h"

#define NANOSECONDS_PER_TICK (INT64_C(1000000000) / (int64_t)configTICK_RATE_HZ)

int64_t saltus_freertos_now(void) {
    /* The kernel gives the ticks together with how often they have wrapped around. */
    TimeOut_t time;
    vTaskSetTimeOutState(&time);
    const int64_t wrapped = (int64_t)time.xOverflowCount * ((int64_t)portMAX_DELAY + 1);
    return (wrapped + (int64_t)time.xTimeOnEntering) * NANOSECONDS_PER_TICK;
}
