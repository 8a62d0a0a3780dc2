/* eProsima Fast DDS, reliable, keep last 10, waiting in `wait_for_unread_message`.
 *
 * default             the message with its sequence, and the default transports
 * tuned-shm32         same, but over shared memory with a segment of 32 MB
 * tuned-data-sharing  the message as a plain type of fixed size, loaned at both ends, with data sharing
 */
#include "pingpong.h"

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#include <fastrtps/config.h>

#include <memory>
#include <string>
#include <vector>

namespace fdds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

namespace {

/* The number of bytes before the data: 4 fields, padded as in CDR, and the length of the sequence. */
constexpr size_t kHead = 4 + 4 + 8 + 4 + 4 + 4;
constexpr size_t kEncapsulation = 4;
/* Outgoing data is serialized from the caller's memory. Incoming data is copied into a vector. */
struct Message {
    const uint8_t *outgoing = nullptr;
    size_t len = 0;
    std::vector<uint8_t> incoming;
};

/* Payload with its unbounded sequence. It is serialized by hand, in the way of generated code. */
class SequenceType : public fdds::TopicDataType {
  public:
    explicit SequenceType(size_t size) {
        setName("Payload");
        m_typeSize = static_cast<uint32_t>(kEncapsulation + kHead + size);
        m_isGetKeyDefined = false;
    }
    bool serialize(void *value, rtps::SerializedPayload_t *payload) override {
        const auto *message = static_cast<Message *>(value);
        uint8_t *to = payload->data;
        const uint8_t encapsulation[kEncapsulation] = {0, 1, 0, 0};
        const auto len = static_cast<uint32_t>(message->len);
        if (payload->max_size < kEncapsulation + kHead + len) return false;
        memcpy(to, encapsulation, kEncapsulation);
        memset(to + kEncapsulation, 0, kHead);
        memcpy(to + kEncapsulation + 20, &len, 4);
        memcpy(to + kEncapsulation + 24, &len, 4);
        memcpy(to + kEncapsulation + kHead, message->outgoing, len);
        payload->encapsulation = CDR_LE;
        payload->length = static_cast<uint32_t>(kEncapsulation + kHead + len);
        return true;
    }
    bool deserialize(rtps::SerializedPayload_t *payload, void *value) override {
        if (payload->length < kEncapsulation + kHead) return false;
        uint32_t len;
        memcpy(&len, payload->data + kEncapsulation + 24, 4);
        if (payload->length < kEncapsulation + kHead + len) return false;
        const uint8_t *from = payload->data + kEncapsulation + kHead;
        static_cast<Message *>(value)->incoming.assign(from, from + len);
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *value) override {
        return [value] {
            return static_cast<uint32_t>(kEncapsulation + kHead + static_cast<Message *>(value)->len);
        };
    }
    void *createData() override { return new Message; }
    void deleteData(void *value) override { delete static_cast<Message *>(value); }
    bool getKey(void *, rtps::InstanceHandle_t *, bool) override { return false; }
    bool is_bounded() const override { return true; }
};

/* Bytes of a fixed size. The memory of a value equals its serialized bytes, so values can be loaned and shared. */
class PlainType : public fdds::TopicDataType {
  public:
    explicit PlainType(size_t size) : size_(size) {
        setName(("Bytes" + std::to_string(size)).c_str());
        m_typeSize = static_cast<uint32_t>(size + kEncapsulation);
        m_isGetKeyDefined = false;
    }
    bool serialize(void *value, rtps::SerializedPayload_t *payload) override {
        const uint8_t encapsulation[kEncapsulation] = {0, 1, 0, 0};
        memcpy(payload->data, encapsulation, kEncapsulation);
        memcpy(payload->data + kEncapsulation, value, size_);
        payload->encapsulation = CDR_LE;
        payload->length = m_typeSize;
        return true;
    }
    bool deserialize(rtps::SerializedPayload_t *payload, void *value) override {
        if (payload->length < m_typeSize) return false;
        memcpy(value, payload->data + kEncapsulation, size_);
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *) override {
        return [this] { return m_typeSize; };
    }
    void *createData() override { return malloc(size_); }
    void deleteData(void *value) override { free(value); }
    bool getKey(void *, rtps::InstanceHandle_t *, bool) override { return false; }
    bool is_bounded() const override { return true; }
    bool is_plain() const override { return true; }
    bool construct_sample(void *memory) const override {
        memset(memory, 0, size_);
        return true;
    }

  private:
    size_t size_;
};

struct Exchange {
    bool plain = false;
    fdds::DataWriter *writer = nullptr;
    fdds::DataReader *reader = nullptr;
    Message outgoing, incoming;
    fdds::LoanableSequence<uint8_t> samples;
    fdds::SampleInfoSeq infos;
    size_t size = 0;
};

int send_data(void *self, const uint8_t *data, size_t len) {
    auto *e = static_cast<Exchange *>(self);
    if (!e->plain) {
        e->outgoing.outgoing = data;
        e->outgoing.len = len;
        return e->writer->write(&e->outgoing) ? 0 : (fprintf(stderr, "write failed\n"), -1);
    }
    void *loan = nullptr;
    for (int i = 0; i < 1000; i++) {
        auto code = e->writer->loan_sample(loan);
        if (code == ReturnCode_t::RETCODE_OK) {
            memcpy(loan, data, len);
            return e->writer->write(loan) ? 0 : (fprintf(stderr, "write failed\n"), -1);
        }
        usleep(100); /* readers have all samples of the pool on loan */
    }
    fprintf(stderr, "loan_sample failed\n");
    return -1;
}

/* Takes a message. A plain message is read in the pool of the writer, any other message is copied. */
bool take(Exchange *e, const uint8_t **data, size_t *len) {
    if (e->plain) {
        while (e->reader->take(e->samples, e->infos, 1) == ReturnCode_t::RETCODE_OK) {
            if (e->infos[0].valid_data) {
                *data = static_cast<const uint8_t *>(e->samples.buffer()[0]);
                *len = e->size;
                return true;
            }
            e->reader->return_loan(e->samples, e->infos);
        }
        return false;
    }
    fdds::SampleInfo info;
    while (e->reader->take_next_sample(&e->incoming, &info) == ReturnCode_t::RETCODE_OK) {
        if (info.valid_data) {
            *data = e->incoming.incoming.data();
            *len = e->incoming.incoming.size();
            return true;
        }
    }
    return false;
}

int receive_data(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    for (;;) {
        if (take(e, data, len)) return 1;
        const uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (now >= deadline) return 0;
        const auto left = static_cast<int32_t>((deadline - now) / 1000000u) + 1;
        e->reader->wait_for_unread_message({left / 1000, static_cast<uint32_t>(left % 1000) * 1000000u});
    }
}

void release(void *self) {
    auto *e = static_cast<Exchange *>(self);
    if (e->plain) e->reader->return_loan(e->samples, e->infos);
}

fdds::DomainParticipantQos participant_qos(const arguments &a) {
    fdds::DomainParticipantQos qos = fdds::PARTICIPANT_QOS_DEFAULT;
    if (strcmp(a.mode, "tuned-shm32") == 0) {
        auto shared = std::make_shared<eprosima::fastdds::rtps::SharedMemTransportDescriptor>();
        shared->segment_size(32u << 20);
        shared->max_message_size(16u << 20);
        qos.transport().use_builtin_transports = false;
        qos.transport().user_transports.push_back(shared);
        qos.transport().user_transports.push_back(
            std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>());
    }
    return qos;
}

} // namespace

int main(int argc, char **argv) {
    arguments a = parse(argc, argv);
    Exchange e;
    e.plain = strcmp(a.mode, "tuned-data-sharing") == 0;
    e.size = a.size;
    auto *participant = fdds::DomainParticipantFactory::get_instance()->create_participant(0, participant_qos(a));
    if (!participant) return fprintf(stderr, "create_participant failed\n"), 1;
    fdds::TypeSupport type(e.plain ? static_cast<fdds::TopicDataType *>(new PlainType(a.size)) : new SequenceType(a.size));
    type.register_type(participant);
    const std::string ping = std::string("ping_") + a.tag, pong = std::string("pong_") + a.tag;
    auto *to = participant->create_topic(a.is_ping ? ping : pong, type.get_type_name(), fdds::TOPIC_QOS_DEFAULT);
    auto *from = participant->create_topic(a.is_ping ? pong : ping, type.get_type_name(), fdds::TOPIC_QOS_DEFAULT);
    fdds::DataWriterQos writer_qos = fdds::DATAWRITER_QOS_DEFAULT;
    fdds::DataReaderQos reader_qos = fdds::DATAREADER_QOS_DEFAULT;
    writer_qos.reliability().kind = reader_qos.reliability().kind = fdds::RELIABLE_RELIABILITY_QOS;
    writer_qos.history().kind = reader_qos.history().kind = fdds::KEEP_LAST_HISTORY_QOS;
    writer_qos.history().depth = reader_qos.history().depth = 10;
    writer_qos.durability().kind = reader_qos.durability().kind = fdds::VOLATILE_DURABILITY_QOS;
    if (e.plain) {
        writer_qos.data_sharing().automatic();
        reader_qos.data_sharing().automatic();
    } else {
        writer_qos.data_sharing().off();
        reader_qos.data_sharing().off();
        writer_qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
        reader_qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    }
    e.writer = participant->create_publisher(fdds::PUBLISHER_QOS_DEFAULT)->create_datawriter(to, writer_qos);
    e.reader = participant->create_subscriber(fdds::SUBSCRIBER_QOS_DEFAULT)->create_datareader(from, reader_qos);
    if (!e.writer || !e.reader) return fprintf(stderr, "can't create the writer and the reader\n"), 1;
    for (int i = 0;; i++) {
        fdds::PublicationMatchedStatus written;
        fdds::SubscriptionMatchedStatus read;
        e.writer->get_publication_matched_status(written);
        e.reader->get_subscription_matched_status(read);
        if (written.current_count > 0 && read.current_count > 0) break;
        if (i == 1000) return fprintf(stderr, "the other process was not found in time\n"), 1;
        usleep(10000);
    }
    transport t = {&e, send_data, receive_data, release, FASTRTPS_VERSION_STR};
    const int result = run(&a, &t);
    fflush(stdout);
    usleep(100000); /* gives the last messages time to arrive */
    /* In 2.9, deleting a participant while messages arrive sometimes aborts the process. So nothing is deleted: only
       the exchange is measured. */
    _exit(result);
}
