/* An application on bare metal, over the UART. The key is the first word of the debugger's command line. */
#include <stdlib.h>

#include "app.h"
#include "board.h"

#define SLICE (100 * SALTUS_MILLISECOND)

static saltus_config_t config;
static saltus_session_t session;
static saltus_serial_t serial;

void app_print(const char *line) {
    board_print(line);
}

int main(void) {
    board_clock_init();
    app_configure(&config);
    saltus_serial_init(&serial, board_uart(), 1U);
    config.transport = &serial.transport;
    config.now = board_now;
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
    return 1;
}
