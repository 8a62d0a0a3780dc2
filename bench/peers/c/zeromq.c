/* ZeroMQ: a PAIR of sockets, over `ipc` or `tcp`. */
#include "pingpong.h"

#include <zmq.h>

typedef struct {
    void *socket;
    zmq_msg_t message;
} exchange;

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
    return -1;
}

static int send_data(void *self, const uint8_t *data, size_t len) {
    return zmq_send(((exchange *)self)->socket, data, len, 0) < 0 ? fail("zmq_send") : 0;
}

static int receive_data(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    exchange *e = (exchange *)self;
    zmq_setsockopt(e->socket, ZMQ_RCVTIMEO, &timeout_ms, sizeof timeout_ms);
    zmq_msg_init(&e->message);
    if (zmq_msg_recv(&e->message, e->socket, 0) < 0) return zmq_errno() == EAGAIN ? 0 : fail("zmq_msg_recv");
    *data = (const uint8_t *)zmq_msg_data(&e->message);
    *len = zmq_msg_size(&e->message);
    return 1;
}

static void release(void *self) { zmq_msg_close(&((exchange *)self)->message); }

/* Returns a port that depends on the tag. It is above the ports that Linux assigns automatically. */
static unsigned port_of(const char *tag) {
    unsigned hash = 7;
    for (; *tag; tag++) hash = hash * 31 + (unsigned char)*tag;
    return 61000 + hash % 4000;
}

int main(int argc, char **argv) {
    arguments a = parse(argc, argv);
    char endpoint[200], version[32];
    if (strcmp(a.mode, "ipc") == 0)
        snprintf(endpoint, sizeof endpoint, "ipc:///tmp/saltus-bench-%s.sock", a.tag);
    else
        snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%u", port_of(a.tag));
    exchange e;
    void *context = zmq_ctx_new();
    int linger_ms = 500;
    e.socket = zmq_socket(context, ZMQ_PAIR);
    zmq_setsockopt(e.socket, ZMQ_LINGER, &linger_ms, sizeof linger_ms);
    int made = a.is_ping ? zmq_connect(e.socket, endpoint) : zmq_bind(e.socket, endpoint);
    if (made != 0) return fail(endpoint), 1;
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
    transport t = {&e, send_data, receive_data, release, version};
    int result = run(&a, &t);
    zmq_close(e.socket);
    if (!a.is_ping && strncmp(endpoint, "ipc://", 6) == 0) unlink(endpoint + 6);
    zmq_ctx_term(context);
    return result;
}
