/* rclcpp with the RMW that is set: a node with one executor thread, reliable, keep last 10. */
#include "pingpong.h"

#include <rclcpp/rclcpp.hpp>
#include <saltus_bench_ros2/msg/payload.hpp>

#include <memory>
#include <string>

using saltus_bench_ros2::msg::Payload;

namespace {

struct Exchange {
    rclcpp::Publisher<Payload>::SharedPtr publisher;
    rclcpp::Subscription<Payload>::SharedPtr subscription;
    rclcpp::executors::SingleThreadedExecutor executor;
    Payload outgoing;
    Payload::ConstSharedPtr incoming;
    uint64_t replied = 0;
    echoes sent_back = new_echoes();
};

int send_data(void *self, const uint8_t *data, size_t len) {
    auto *e = static_cast<Exchange *>(self);
    if (e->outgoing.data.size() != len) {
        e->outgoing.data_size = static_cast<uint32_t>(len);
        e->outgoing.data.assign(data, data + len);
    }
    stamp(e->outgoing.data.data(), len, stamp_at(data, 0)); /* All other bytes were written once. */
    e->publisher->publish(e->outgoing);
    return 0;
}

int receive_data(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    while (!e->incoming) {
        e->executor.spin_once(std::chrono::milliseconds(timeout_ms));
        if (!e->incoming && (!rclcpp::ok() || clock_ns(CLOCK_MONOTONIC) >= deadline)) return 0;
    }
    *data = e->incoming->data.data();
    *len = e->incoming->data.size();
    return 1;
}

void release(void *self) { static_cast<Exchange *>(self)->incoming.reset(); }

} // namespace

int main(int argc, char **argv) {
    const arguments a = parse(argc, argv);
    rclcpp::init(0, nullptr);
    auto node = std::make_shared<rclcpp::Node>(std::string(a.is_ping ? "ping_" : "pong_") + a.tag);
    const std::string ping_topic = std::string("ping_") + a.tag, pong_topic = std::string("pong_") + a.tag;
    Exchange e;
    e.publisher = node->create_publisher<Payload>(a.is_ping ? ping_topic : pong_topic, 10);
    e.subscription = node->create_subscription<Payload>(
        a.is_ping ? pong_topic : ping_topic, 10, [&a, &e](Payload::ConstSharedPtr message) {
            if (a.is_ping) {
                e.replied = note_reply(message->data.data(), message->data.size());
                e.incoming = message;
            } else if (note_echo(&e.sent_back, &a, message->data.data())) {
                e.publisher->publish(*message);
            } else {
                e.executor.cancel();
            }
        });
    e.executor.add_node(node);
    for (int i = 0; e.publisher->get_subscription_count() == 0 || e.subscription->get_publisher_count() == 0; i++) {
        if (i == 1000) return fprintf(stderr, "the other process was not found in time\n"), 1;
        usleep(10000);
    }
    const std::string version = std::string("rclcpp on ") + rmw_get_implementation_identifier();
    std::string word = version;
    for (char &c : word)
        if (c == ' ') c = '_';
    int result = 0;
    if (a.is_ping) {
        transport t = {&e, send_data, receive_data, release, word.c_str(), nullptr, &e.replied};
        result = ping(&a, &t);
    } else {
        e.executor.spin();
        print_echoes(&e.sent_back);
    }
    usleep(100000); /* gives the last messages time to arrive */
    rclcpp::shutdown();
    return result;
}
