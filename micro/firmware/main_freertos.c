/*
 * An application on FreeRTOS, over lwIP's UDP. The words of the debugger's command line are the key, the address of the
 * agent, and its port.
 */
#include <stdlib.h>
#include <string.h>

#include "FreeRTOS.h"
#include "app.h"
#include "board.h"
#include "ethernet.h"
#include "lwip/tcpip.h"
#include "saltus_freertos.h"
#include "saltus_lwip.h"
#include "task.h"

#define SLICE (100 * SALTUS_MILLISECOND)
#define APP_STACK 512U
#define APP_PRIORITY 3U

static saltus_config_t config;
static saltus_session_t session;
static saltus_lwip_t udp;
static struct netif interface;
static char agent[32];

void app_print(const char *line) {
    board_print(line);
}

/* The network that QEMU gives its guest. */
static void start_network(void *context) {
    ip4_addr_t address;
    ip4_addr_t mask;
    ip4_addr_t gateway;
    (void)context;
    IP4_ADDR(&address, 10, 0, 2, 15);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 2, 2);
    (void)netif_add(&interface, &address, &mask, &gateway, NULL, ethernet_init, tcpip_input);
    netif_set_default(&interface);
    netif_set_up(&interface);
}

static void run(void *context) {
    (void)context;
    tcpip_init(start_network, NULL);
    app_configure(&config);
    (void)strncpy(agent, board_argument(2U), sizeof(agent) - 1U);
    saltus_lwip_udp_init(&udp, agent, (uint16_t)strtoul(board_argument(3U), NULL, 0));
    config.transport = &udp.transport;
    config.now = saltus_freertos_now;
    config.key = (uint32_t)strtoul(board_argument(1U), NULL, 0);
    config.boot = board_random();
    saltus_status_t status = saltus_session_init(&session, &config);
    if (status == SALTUS_OK) {
        status = app_init(&session);
    }
    board_print("started");
    while (status == SALTUS_OK) {
        status = saltus_spin_once(&session, SLICE);
    }
    board_print(saltus_status_text(status));
    board_exit(1);
}

int main(void) {
    static StaticTask_t task;
    static StackType_t stack[APP_STACK];
    (void)xTaskCreateStatic(run, "app", APP_STACK, NULL, APP_PRIORITY, stack, &task);
    vTaskStartScheduler();
    return 1;
}
