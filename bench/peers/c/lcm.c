/* LCM: UDP multicast on this host only, with a receive buffer of 4 MB. */
#include "pingpong.h"

#include <lcm/lcm.h>

typedef struct {
    lcm_t *lcm;
    char to[64], from[64];
    const uint8_t *data;
    size_t len;
    uint8_t *copy;
    bool has_message;
} exchange;

/* The buffer is valid only until the handler returns, so the message is copied. */
static void on_message(const lcm_recv_buf_t *buffer, const char *channel, void *self) {
    exchange *e = (exchange *)self;
    (void)channel;
    e->copy = (uint8_t *)realloc(e->copy, buffer->data_size);
    memcpy(e->copy, buffer->data, buffer->data_size);
    e->data = e->copy;
    e->len = buffer->data_size;
    e->has_message = true;
}

static int send_data(void *self, const uint8_t *data, size_t len) {
    exchange *e = (exchange *)self;
    if (lcm_publish(e->lcm, e->to, data, (unsigned)len) == 0) return 0;
    fprintf(stderr, "lcm_publish failed\n");
    return -1;
}

static int receive_data(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    exchange *e = (exchange *)self;
    while (!e->has_message) {
        int handled = lcm_handle_timeout(e->lcm, timeout_ms);
        if (handled <= 0) return handled;
    }
    e->has_message = false;
    *data = e->data;
    *len = e->len;
    return 1;
}

static void release(void *self) { (void)self; }

int main(int argc, char **argv) {
    arguments a = parse(argc, argv);
    exchange e = {0};
    e.lcm = lcm_create("udpm://239.255.76.67:7667?ttl=0&recv_buf_size=4194304");
    if (!e.lcm) return fprintf(stderr, "lcm_create failed\n"), 1;
    snprintf(e.to, sizeof e.to, "%s_%s", a.is_ping ? "ping" : "pong", a.tag);
    snprintf(e.from, sizeof e.from, "%s_%s", a.is_ping ? "pong" : "ping", a.tag);
    lcm_subscription_set_queue_capacity(lcm_subscribe(e.lcm, e.from, on_message, &e), 10);
    transport t = {&e, send_data, receive_data, release, LCM_VERSION};
    /* LCM has no discovery, so ping waits until pong has had time to start. */
    if (a.is_ping) usleep(300000);
    int result = run(&a, &t);
    lcm_destroy(e.lcm);
    free(e.copy);
    return result;
}
