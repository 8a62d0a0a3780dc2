/* Publishes ten numbers in a second through an agent on this host. It is the program of `docs/microcontrollers.md`. */
#include "saltus/saltus.h"
#include "saltus_posix.h"
#include "std_msgs/msg/int32.h"

#define MTU 512U
#define HISTORY 4U

static uint8_t receive[MTU];
static uint8_t out[SALTUS_STREAM_BYTES(MTU, HISTORY)];
static uint8_t in[SALTUS_STREAM_BYTES(MTU, HISTORY)];
static saltus_session_t session;
static saltus_node_t node;
static saltus_publisher_t publisher;
static saltus_timer_t timer;

static void publish(void *context) {
    static std_msgs__msg__Int32 message;
    (void)context;
    message.data++;
    (void)saltus_publish(&publisher, &message);
}

int main(void) {
    static saltus_posix_t udp;
    static saltus_config_t config;
    saltus_posix_udp_init(&udp, "127.0.0.1", "8888");
    saltus_config_init(&config);
    config.transport = &udp.transport;
    config.now = saltus_posix_now;
    config.key = 0x5A1705U;
    config.boot = saltus_posix_random();
    config.mtu = MTU;
    config.history_out = HISTORY;
    config.history_in = HISTORY;
    config.receive = receive;
    config.reliable_out = out;
    config.reliable_in = in;
    if (saltus_session_init(&session, &config) != SALTUS_OK ||
        saltus_node_init(&node, &session, "device", "", 0U) != SALTUS_OK ||
        saltus_publisher_init(&publisher, &node, &std_msgs__msg__Int32__type, "numbers", SALTUS_QOS_DEFAULT) !=
            SALTUS_OK ||
        saltus_timer_init(&timer, &session, 100 * SALTUS_MILLISECOND, publish, NULL) != SALTUS_OK) {
        return 1;
    }
    while (saltus_spin_once(&session, SALTUS_SECOND) == SALTUS_OK) {
    }
    return 0;
}
