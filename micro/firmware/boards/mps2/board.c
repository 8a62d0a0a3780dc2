/* The clock, the UART, and the debugger's console. */
#include "board.h"

#include <string.h>

#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010U)
#define SYSTICK_RELOAD (*(volatile uint32_t *)0xE000E014U)
#define SYSTICK_VALUE (*(volatile uint32_t *)0xE000E018U)
#define SYSTICK_ON 7U
#define IRQ_ENABLE ((volatile uint32_t *)0xE000E100U)
#define INTERRUPT_STATE (*(volatile uint32_t *)0xE000ED04U)
#define SYSTICK_PENDING (1U << 26)

#define TICKS_PER_SECOND 1000U
#define TICK_CYCLES (BOARD_CLOCK_HZ / TICKS_PER_SECOND)
#define TICK_NANOSECONDS 1000000

static volatile uint32_t ticks;

#ifndef BOARD_HAS_RTOS
void SysTick_Handler(void);

void SysTick_Handler(void) {
    ticks++;
}

void board_clock_init(void) {
    SYSTICK_RELOAD = TICK_CYCLES - 1U;
    SYSTICK_VALUE = 0U;
    SYSTICK_CONTROL = SYSTICK_ON;
}
#endif

/* The ticks wrap around after 49 days; the high part counts that. It is called often enough to see each wrap. */
int64_t board_now(void) {
    static uint32_t last;
    static int64_t wrapped;
    uint32_t before;
    uint32_t value;
    uint32_t pending;
    do {
        before = ticks;
        value = SYSTICK_VALUE;
        pending = INTERRUPT_STATE & SYSTICK_PENDING;
    } while (before != ticks);
    /* The counter has begun again, and its interrupt was not handled yet. */
    const uint32_t now = before + (((pending != 0U) && (value > (TICK_CYCLES / 2U))) ? 1U : 0U);
    if (now < last) {
        wrapped += (int64_t)UINT32_MAX + 1;
    }
    last = now;
    const uint32_t cycles = TICK_CYCLES - 1U - value;
    return ((wrapped + now) * TICK_NANOSECONDS) + (int64_t)(cycles * (1000000000U / BOARD_CLOCK_HZ));
}

void board_sleep(void) {
    __asm volatile("wfi");
}

void board_enable_irq(uint32_t irq) {
    IRQ_ENABLE[irq / 32U] = 1U << (irq % 32U);
}

typedef struct uart {
    volatile uint32_t data;
    volatile uint32_t state;
    volatile uint32_t control;
    volatile uint32_t interrupts;
    volatile uint32_t divider;
} uart_t;

#define UART ((uart_t *)BOARD_UART1)
#define UART_TRANSMIT_FULL 1U
#define UART_RECEIVE_FULL 2U
/* Transmit, receive, and interrupt when a byte was received. */
#define UART_ON (1U | 2U | 8U)
#define UART_RECEIVE_INTERRUPT 2U
#define BAUD 115200U
#define RECEIVED 1024U

static volatile uint8_t received[RECEIVED];
static volatile uint32_t received_head;
static volatile uint32_t received_tail;

void board_uart_handler(void);

void board_uart_handler(void) {
    /* Before the bytes are taken: a byte that comes in between raises the interrupt again. */
    UART->interrupts = UART_RECEIVE_INTERRUPT;
    while ((UART->state & UART_RECEIVE_FULL) != 0U) {
        const uint8_t byte = (uint8_t)UART->data;
        /* If the buffer is full, the byte is lost, and the framing notices that. */
        if ((received_head - received_tail) < RECEIVED) {
            received[received_head % RECEIVED] = byte;
            received_head++;
        }
    }
}

static bool uart_open(saltus_transport_t *transport) {
    (void)transport;
    UART->divider = BOARD_CLOCK_HZ / BAUD;
    UART->control = UART_ON;
    board_enable_irq(BOARD_UART1_RECEIVE_IRQ);
    return true;
}

static void uart_close(saltus_transport_t *transport) {
    (void)transport;
}

static bool uart_write(saltus_transport_t *transport, const uint8_t *bytes, size_t size) {
    (void)transport;
    for (size_t i = 0U; i < size; i++) {
        while ((UART->state & UART_TRANSMIT_FULL) != 0U) {
            /* The byte before is on its way. */
        }
        UART->data = bytes[i];
    }
    return true;
}

static size_t uart_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    const int64_t end = board_now() + timeout;
    size_t size = 0U;
    (void)transport;
    while ((received_head == received_tail) && (board_now() < end)) {
        board_sleep();
    }
    while ((size < capacity) && (received_head != received_tail)) {
        buffer[size] = received[received_tail % RECEIVED];
        received_tail++;
        size++;
    }
    return size;
}

saltus_transport_t *board_uart(void) {
    static saltus_transport_t uart = {uart_open, uart_close, uart_write, uart_read, NULL};
    return &uart;
}

/* Semihosting: the debugger, or QEMU, does what the program asks for. */
enum { SYS_WRITE0 = 0x04, SYS_TIME = 0x11, SYS_GET_CMDLINE = 0x15, SYS_ELAPSED = 0x30, SYS_EXIT_EXTENDED = 0x20 };

static uint32_t ask_debugger(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_print(const char *line) {
    (void)ask_debugger(SYS_WRITE0, line);
    (void)ask_debugger(SYS_WRITE0, "\n");
}

void board_exit(int code) {
    /* The reason `ADP_Stopped_ApplicationExit`, and the code. */
    const uint32_t words[2] = {0x20026U, (uint32_t)code};
    (void)ask_debugger(SYS_EXIT_EXTENDED, words);
    for (;;) {
        board_sleep();
    }
}

const char *board_argument(uint32_t number) {
    static char line[128];
    static char word[64];
    const struct {
        char *text;
        uint32_t size;
    } wanted = {line, sizeof(line)};
    uint32_t at = 0U;
    size_t size = 0U;
    line[0] = '\0';
    (void)ask_debugger(SYS_GET_CMDLINE, &wanted);
    for (const char *letter = line; *letter != '\0'; letter++) {
        if (*letter == ' ') {
            at++;
        } else if ((at == number) && (size < (sizeof(word) - 1U))) {
            word[size] = *letter;
            size++;
        } else {
            /* Another word. */
        }
    }
    word[size] = '\0';
    return word;
}

uint32_t board_random(void) {
    uint32_t elapsed[2] = {0U, 0U};
    const uint32_t seconds = ask_debugger(SYS_TIME, NULL);
    (void)ask_debugger(SYS_ELAPSED, elapsed);
    return (seconds * 2654435761U) ^ elapsed[0] ^ elapsed[1];
}
