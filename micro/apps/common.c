/* The memory of the applications. */
#include "app.h"

static uint8_t receive[APP_MTU];
static uint8_t best_effort[APP_MTU];
static uint8_t reliable_out[SALTUS_STREAM_BYTES(APP_MTU, APP_HISTORY)];
static uint8_t reliable_in[SALTUS_STREAM_BYTES(APP_MTU, APP_HISTORY)];

static void on_event(saltus_session_t *session, saltus_event_t event, uint32_t detail) {
    (void)session;
    (void)detail;
    switch (event) {
    case SALTUS_EVENT_CONNECTED:
        app_print("connected");
        break;
    case SALTUS_EVENT_READY:
        app_print("ready");
        break;
    case SALTUS_EVENT_DISCONNECTED:
        app_print("disconnected");
        break;
    case SALTUS_EVENT_REFUSED:
        app_print("refused");
        break;
    case SALTUS_EVENT_UNREADABLE:
        app_print("unreadable message");
        break;
    case SALTUS_EVENT_LOST:
        app_print("messages lost");
        break;
    default:
        /* The time was measured. */
        break;
    }
}

void app_configure(saltus_config_t *config) {
    /* One field in a line. */
    /* clang-format off */
    const saltus_config_t defaults = {
        SALTUS_CONFIG_DEFAULTS,
        .mtu = APP_MTU,
        .history_out = APP_HISTORY,
        .history_in = APP_HISTORY,
        .receive = receive,
        .best_effort = best_effort,
        .reliable_out = reliable_out,
        .reliable_in = reliable_in,
        .time_period_ms = 250U,
        .on_event = on_event,
    };
    /* clang-format on */
    *config = defaults;
}
