/* rclcpp services: a client that waits for each response, and a server that sends a deferred response. */
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
    /* Ping: the request, whose data is created once, and the response. */
    Echo::Request::SharedPtr outgoing = std::make_shared<Echo::Request>();
    Echo::Response::SharedPtr response;
    /* Pong: the request, and the header that identifies its sender. */
    std::shared_ptr<rmw_request_id_t> header;
    Echo::Request::SharedPtr request;
};

int ask(void *self, const uint8_t *data, size_t len) {
    auto *e = static_cast<Exchange *>(self);
    if (e->outgoing->data.size() != len) e->outgoing->data.assign(data, data + len);
    stamp(e->outgoing->data.data(), len, stamp_at(data, 0));
    e->client->async_send_request(
        e->outgoing, [e](rclcpp::Client<Echo>::SharedFuture future) { e->response = future.get(); });
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

int answer(void *self, const uint8_t *, size_t) {
    auto *e = static_cast<Exchange *>(self);
    Echo::Response response;
    response.data = std::move(e->request->data);
    e->service->send_response(*e->header, response);
    return 0;
}

int take_request(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    while (!e->request) {
        e->executor.spin_once(std::chrono::milliseconds(timeout_ms));
        if (!e->request && (!rclcpp::ok() || clock_ns(CLOCK_MONOTONIC) >= deadline)) return 0;
    }
    *data = e->request->data.data();
    *len = e->request->data.size();
    return 1;
}

void release(void *self) {
    auto *e = static_cast<Exchange *>(self);
    e->response.reset();
    e->request.reset();
}

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
            name, [&e](std::shared_ptr<rmw_request_id_t> header, Echo::Request::SharedPtr request) {
                e.header = header;
                e.request = request;
            });
    }
    e.executor.add_node(node);
    std::string version = std::string("rclcpp_on_") + rmw_get_implementation_identifier();
    transport t = {&e, a.is_ping ? ask : answer, a.is_ping ? take_response : take_request, release,
                   version.c_str()};
    const int result = run(&a, &t);
    usleep(100000); /* gives the last messages time to arrive */
    rclcpp::shutdown();
    return result;
}
