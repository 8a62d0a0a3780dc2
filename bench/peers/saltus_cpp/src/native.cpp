/* The C++ API of Saltus: a node with one executor thread, reliable, keep last 10. The mode is ACCESS/WAIT.
 *
 * `cpp-owned` publishes and receives values. `cpp-in-place` writes the message into a loan, and reads the received message where the
 * publisher has written it. */
#include "pingpong.h"

#include <saltus/saltus.hpp>
#include <saltus_bench_cpp/msg/payload.hpp>
#include <saltus_bench_cpp/msg/payload__view.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

using saltus_bench_cpp::msg::Payload;
using namespace std::chrono_literals;

namespace {

struct Exchange {
    const arguments &a;
    saltus::Context context = saltus::Context::create().or_exit();
    bool in_place, is_ping;
    saltus::Executor executor;
    saltus::Node node;
    std::optional<saltus::Publisher<Payload>> publisher;
    std::optional<saltus::Subscription<Payload>> subscription;
    Payload outgoing, incoming;
    std::optional<saltus::Message<Payload>> kept;
    bool has_incoming = false;
    uint64_t replied = 0;
    echoes sent_back = new_echoes();

    Exchange(const arguments &all, bool is_in_place, saltus::Wait wait)
        : a(all), in_place(is_in_place), is_ping(a.is_ping), executor(saltus::Executor::create(context, 1, wait).or_exit()),
          node(context.node(a.is_ping ? "ping" : "pong").or_exit()) {
        const std::string ping = std::string("ping_") + a.tag, pong = std::string("pong_") + a.tag;
        const auto qos = saltus::QoS::keep_last(10);
        publisher = saltus::Publisher<Payload>::create(node, is_ping ? ping : pong, qos).or_exit();
        const std::string &from = is_ping ? pong : ping;
        if (in_place) {
            subscription = saltus::Subscription<Payload>::create(node, from, qos, [this](saltus::Message<Payload> message) {
                if (!is_ping) return echo(message->data.data(), message->data.size(), nullptr);
                replied = note_reply(message->data.data(), message->data.size());
                kept = std::move(message);
                has_incoming = true;
            }).or_exit();
        } else {
            subscription = saltus::Subscription<Payload>::create(node, from, qos, [this](Payload message) {
                if (!is_ping) return echo(message.data.data(), message.data.size(), &message);
                replied = note_reply(message.data.data(), message.data.size());
                incoming = std::move(message);
                has_incoming = true;
            }).or_exit();
        }
        executor.add_node(node).or_exit();
    }

    /* Pong: sends a received message back, in the callback. */
    void echo(const uint8_t *data, size_t len, const Payload *message) {
        if (!note_echo(&sent_back, &a, data)) return executor.cancel();
        const saltus::Status status = message ? publisher->publish(*message) : send(data, len);
        if (!status) fprintf(stderr, "%s\n", status.text().c_str());
    }

    saltus::Status send(const uint8_t *data, size_t len) {
        if (in_place) {
            auto loan = publisher->loan(len + 64);
            if (!loan) return loan.failure();
            loan->write().topic_id(0).timestamp(0).sequence_number(0).data_size(static_cast<uint32_t>(len)).data(
                len, [data](uint8_t *bytes, size_t count) { memcpy(bytes, data, count); });
            return std::move(*loan).publish();
        }
        if (outgoing.data.size() != len) {
            outgoing.data_size = static_cast<uint32_t>(len);
            outgoing.data.assign(data, data + len);
        }
        stamp(outgoing.data.data(), len, stamp_at(data, 0)); /* All other bytes were written once. */
        return publisher->publish(outgoing);
    }
};

int send_data(void *self, const uint8_t *data, size_t len) {
    const saltus::Status status = static_cast<Exchange *>(self)->send(data, len);
    if (!status) return fprintf(stderr, "%s\n", status.text().c_str()), -1;
    return 0;
}

int receive_data(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    while (!e->has_incoming) {
        const auto spun = e->executor.spin_once(std::chrono::milliseconds(timeout_ms));
        if (!spun) return fprintf(stderr, "%s\n", spun.failure().text().c_str()), -1;
        if (!e->has_incoming && (!e->context.is_ok() || clock_ns(CLOCK_MONOTONIC) >= deadline)) return 0;
    }
    e->has_incoming = false;
    *data = e->in_place ? (*e->kept)->data.data() : e->incoming.data.data();
    *len = e->in_place ? (*e->kept)->data.size() : e->incoming.data.size();
    return 1;
}

void release(void *self) { static_cast<Exchange *>(self)->kept.reset(); }

} // namespace

int main(int argc, char **argv) {
    const arguments a = parse(argc, argv);
    const std::string mode = a.mode;
    const bool blocks = mode.size() > 6 && mode.compare(mode.size() - 6, 6, "/block") == 0;
    Exchange e(a, mode.rfind("cpp-in-place/", 0) == 0, blocks ? saltus::Wait::block : saltus::Wait::adaptive);
    e.publisher->wait(1, 10s).or_exit();
    if (saltus_subscription_wait(e.subscription->get(), 1, 10000000000) != SALTUS_OK)
        return fprintf(stderr, "%s\n", saltus_error_message()), 1;
    int result = 0;
    if (a.is_ping) {
        transport t = {&e, send_data, receive_data, release, SALTUS_VERSION, nullptr, &e.replied};
        result = ping(&a, &t);
    } else {
        e.executor.spin().or_exit();
        print_echoes(&e.sent_back);
    }
    usleep(100000); /* gives the last messages time to arrive */
    return result;
}
