/* rclcpp services: a client that waits for each response. */
#include "pingpong.h"

#include <rclcpp/rclcpp.hpp>
#include <saltus_bench_ros2/srv/echo.hpp>

#include <memory>
#include <string>

using saltus_bench_ros2::srv::Echo;

namespace {

struct Exchange {
    rclcpp::Client<Echo>::SharedPtr client;
    rclcpp::Service<Echo>::SharedPtr service;
    rclcpp::executors::SingleThreadedExecutor executor;
    /* Ping: the request, whose data is created once, the response, and when it came. */
    Echo::Request::SharedPtr outgoing = std::make_shared<Echo::Request>();
    Echo::Response::SharedPtr response;
    uint64_t replied = 0;
    echoes answered = new_echoes();
};

int ask(void *self, const uint8_t *data, size_t len) {
    auto *e = static_cast<Exchange *>(self);
    if (e->outgoing->data.size() != len) e->outgoing->data.assign(data, data + len);
    stamp(e->outgoing->data.data(), len, stamp_at(data, 0));
    e->client->async_send_request(e->outgoing, [e](rclcpp::Client<Echo>::SharedFuture future) {
        e->response = future.get();
        e->replied = note_reply(e->response->data.data(), e->response->data.size());
    });
    return 0;
}

int take_response(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    while (!e->response) {
        e->executor.spin_once(std::chrono::milliseconds(timeout_ms));
        if (!e->response && (!rclcpp::ok() || clock_ns(CLOCK_MONOTONIC) >= deadline)) return 0;
    }
    *data = e->response->data.data();
    *len = e->response->data.size();
    return 1;
}

void release(void *self) { static_cast<Exchange *>(self)->response.reset(); }

} // namespace

int main(int argc, char **argv) {
    const arguments a = parse(argc, argv);
    rclcpp::init(0, nullptr);
    auto node = std::make_shared<rclcpp::Node>(std::string(a.is_ping ? "ping_" : "pong_") + a.tag);
    const std::string name = std::string("call_") + a.tag;
    Exchange e;
    if (a.is_ping) {
        e.client = node->create_client<Echo>(name);
        if (!e.client->wait_for_service(std::chrono::seconds(10)))
            return fprintf(stderr, "the other process was not found in time\n"), 1;
    } else {
        e.service = node->create_service<Echo>(
            name, [&a, &e](Echo::Request::SharedPtr request, Echo::Response::SharedPtr response) {
                if (!note_echo(&e.answered, &a, request->data.data())) e.executor.cancel();
                response->data = std::move(request->data);
            });
    }
    e.executor.add_node(node);
    std::string version = std::string("rclcpp_on_") + rmw_get_implementation_identifier();
    int result = 0;
    if (a.is_ping) {
        transport t = {&e, ask, take_response, release, version.c_str(), nullptr, &e.replied};
        result = ping(&a, &t);
    } else {
        e.executor.spin();
        print_echoes(&e.answered);
    }
    usleep(100000); /* gives the last messages time to arrive */
    rclcpp::shutdown();
    return result;
}
