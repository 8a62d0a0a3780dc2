/** The MPS2 boards: what the firmware uses of them. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "saltus/transport.h"

/* Arm's application note 505 has the Cortex-M33 in the secure state; 386 has the Cortex-M4. */
#if defined(BOARD_AN505)
#define BOARD_CLOCK_HZ 20000000U
#define BOARD_UART1 0x50201000U
#define BOARD_UART1_RECEIVE_IRQ 34U
#elif defined(BOARD_AN386)
#define BOARD_CLOCK_HZ 25000000U
#define BOARD_UART1 0x40005000U
#define BOARD_UART1_RECEIVE_IRQ 2U
#define BOARD_ETHERNET 0x40200000U
#define BOARD_ETHERNET_IRQ 13U
#else
#error "no board"
#endif

/** Starts the clock. Not used together with an operating system, which has its own. */
void board_clock_init(void);

/** Returns the time since the start in nanoseconds. */
int64_t board_now(void);

/** Sleeps until an interrupt: at the latest, that of the clock, each millisecond. */
void board_sleep(void);

/** Allows an interrupt. */
void board_enable_irq(uint32_t irq);

/** Returns the line of UART 1 as a line of bytes. Its interrupt receives into a buffer. */
saltus_transport_t *board_uart(void);

/** Prints a line on the debugger's console. */
void board_print(const char *line);

/** Ends the program, and reports the code to the debugger. */
void board_exit(int code);

/** Returns a word of the debugger's command line, or an empty text. Word 0 is the name of the program. */
const char *board_argument(uint32_t number);

/** Returns a number that is different after each reset. */
uint32_t board_random(void);

/** Fills the unused stack with a pattern. */
void board_paint_stack(void);

/** Returns how many bytes of the stack were used since it was painted. */
uint32_t board_used_stack(void);

#endif
