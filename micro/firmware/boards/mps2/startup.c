/* The start of the program: memory, the vectors, and faults. */
#include <string.h>

#include "board.h"

extern uint8_t board_data_begin[], board_data_end[], board_data_source[];
extern uint8_t board_bss_begin[], board_bss_end[];
extern uint8_t board_stack_top[];
extern uint32_t board_vectors[];

int main(void);
void board_reset(void);

static void fault(void) {
    board_print("fault");
    board_exit(3);
}

static void no_handler(void) {
    board_print("unexpected interrupt");
    board_exit(4);
}

/* Handlers that a firmware may define. */
void SVC_Handler(void) __attribute__((weak, alias("no_handler")));
void PendSV_Handler(void) __attribute__((weak, alias("no_handler")));
void SysTick_Handler(void) __attribute__((weak, alias("no_handler")));
void board_uart_handler(void) __attribute__((weak, alias("no_handler")));
void board_ethernet_handler(void) __attribute__((weak, alias("no_handler")));

/* The linker puts the first vector, the top of the stack, before these. */
#define SYSTEM_VECTORS 15U
#define IRQS 48U

__attribute__((section(".vectors"), used)) static void (*const vectors[SYSTEM_VECTORS + IRQS])(void) = {
    board_reset,
    fault,
    fault,
    fault,
    fault,
    fault,
    NULL,
    NULL,
    NULL,
    NULL,
    SVC_Handler,
    no_handler,
    NULL,
    PendSV_Handler,
    SysTick_Handler,
    [SYSTEM_VECTORS + BOARD_UART1_RECEIVE_IRQ] = board_uart_handler,
#ifdef BOARD_ETHERNET_IRQ
    [SYSTEM_VECTORS + BOARD_ETHERNET_IRQ] = board_ethernet_handler,
#endif
};

#define VECTOR_TABLE (*(volatile uint32_t *)0xE000ED08U)
#define COPROCESSORS (*(volatile uint32_t *)0xE000ED88U)
#define FLOATING_POINT (0xFU << 20)

void board_reset(void) {
    VECTOR_TABLE = (uint32_t)(uintptr_t)board_vectors;
    COPROCESSORS |= FLOATING_POINT;
    (void)memcpy(board_data_begin, board_data_source, (size_t)(board_data_end - board_data_begin));
    (void)memset(board_bss_begin, 0, (size_t)(board_bss_end - board_bss_begin));
    board_exit(main());
}

#define PATTERN 0xA5A5A5A5U
/* Only this much is painted: no application has a larger stack. */
#define PAINTED 16384U

static uint32_t *painted_begin(void) {
    return (uint32_t *)(uintptr_t)(board_stack_top - PAINTED);
}

__attribute__((noinline)) void board_paint_stack(void) {
    const uint32_t *here = __builtin_frame_address(0);
    for (volatile uint32_t *word = painted_begin(); word < (here - 16); word++) {
        *word = PATTERN;
    }
}

uint32_t board_used_stack(void) {
    const uint32_t *word = painted_begin();
    while (*word == PATTERN) {
        word++;
    }
    return (uint32_t)((const uint8_t *)board_stack_top - (const uint8_t *)word);
}
