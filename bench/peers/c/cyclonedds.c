/* Eclipse Cyclone DDS with its default configuration and a waitset. The QoS is reliable, keep last 10. */
#include "pingpong.h"

#include <dds/dds.h>

#include "payload.h"

typedef struct {
    dds_entity_t writer, reader, waitset;
    Payload outgoing;
    void *sample;
} exchange;

static int fail(const char *what, int code) {
    fprintf(stderr, "%s: %s\n", what, dds_strretcode(code));
    return -1;
}

static int send_data(void *self, const uint8_t *data, size_t len) {
    exchange *e = (exchange *)self;
    e->outgoing.data_size = (uint32_t)len;
    e->outgoing.data._buffer = (uint8_t *)data;
    e->outgoing.data._length = e->outgoing.data._maximum = (uint32_t)len;
    int code = dds_write(e->writer, &e->outgoing);
    return code < 0 ? fail("dds_write", code) : 0;
}

static int receive_data(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    exchange *e = (exchange *)self;
    dds_time_t deadline = dds_time() + DDS_MSECS(timeout_ms);
    for (;;) {
        dds_sample_info_t info;
        e->sample = NULL;
        int taken = dds_take(e->reader, &e->sample, &info, 1, 1);
        if (taken < 0) return fail("dds_take", taken);
        if (taken == 1 && info.valid_data) {
            const Payload *message = (const Payload *)e->sample;
            *data = message->data._buffer;
            *len = message->data._length;
            return 1;
        }
        if (taken == 1) dds_return_loan(e->reader, &e->sample, 1);
        dds_attach_t attached;
        int woken = dds_waitset_wait_until(e->waitset, &attached, 1, deadline);
        if (woken <= 0) return woken < 0 ? fail("dds_waitset_wait", woken) : 0;
    }
}

static void release(void *self) {
    exchange *e = (exchange *)self;
    dds_return_loan(e->reader, &e->sample, 1);
}

static bool wait_for_match(exchange *e) {
    for (int i = 0; i < 1000; i++) {
        dds_publication_matched_status_t writer;
        dds_subscription_matched_status_t reader;
        dds_get_publication_matched_status(e->writer, &writer);
        dds_get_subscription_matched_status(e->reader, &reader);
        if (writer.current_count > 0 && reader.current_count > 0) return true;
        dds_sleepfor(DDS_MSECS(10));
    }
    fprintf(stderr, "the other process was not found in time\n");
    return false;
}

int main(int argc, char **argv) {
    arguments a = parse(argc, argv);
    char to[80], from[80];
    snprintf(to, sizeof to, "%s_%s", a.is_ping ? "ping" : "pong", a.tag);
    snprintf(from, sizeof from, "%s_%s", a.is_ping ? "pong" : "ping", a.tag);
    dds_entity_t participant = dds_create_participant(DDS_DOMAIN_DEFAULT, NULL, NULL);
    if (participant < 0) return fail("dds_create_participant", participant), 1;
    dds_qos_t *qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
    exchange e = {0};
    e.writer = dds_create_writer(participant, dds_create_topic(participant, &Payload_desc, to, NULL, NULL), qos, NULL);
    e.reader = dds_create_reader(participant, dds_create_topic(participant, &Payload_desc, from, NULL, NULL), qos, NULL);
    dds_set_status_mask(e.reader, DDS_DATA_AVAILABLE_STATUS);
    e.waitset = dds_create_waitset(participant);
    dds_waitset_attach(e.waitset, dds_create_readcondition(e.reader, DDS_ANY_STATE), 0);
    if (!wait_for_match(&e)) return 1;
    transport t = {&e, send_data, receive_data, release, CYCLONEDDS_VERSION};
    int result = run(&a, &t);
    dds_sleepfor(DDS_MSECS(100)); /* gives the last messages time to arrive */
    dds_delete(participant);
    return result;
}
