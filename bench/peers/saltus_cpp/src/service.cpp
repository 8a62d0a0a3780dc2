/* Services of the C++ API of Saltus: a client that waits for each response. The mode is cpp-service/WAIT. */
#include "pingpong.h"

#include <saltus/saltus.hpp>
#include <saltus_bench_cpp/srv/echo.hpp>

#include <optional>
#include <string>
#include <utility>

using saltus_bench_cpp::srv::Echo;
using namespace std::chrono_literals;

namespace {

/* Ping: the request, whose data is created once, the response, and when it came. */
struct Caller {
    saltus::Client<Echo> client;
    Echo::Request outgoing;
    std::optional<Echo::Response> response;
    uint64_t replied = 0;
};

int ask(void *self, const uint8_t *data, size_t len) {
    auto *caller = static_cast<Caller *>(self);
    if (caller->outgoing.data.size() != len) caller->outgoing.data.assign(data, data + len);
    stamp(caller->outgoing.data.data(), len, stamp_at(data, 0));
    auto response = caller->client.call(caller->outgoing, std::chrono::milliseconds(REPLY_MS));
    if (!response) {
        /* The server ends with the first call of the three that end the exchange. */
        if (stamp_at(data, 0) == END || response.failure().code() == SALTUS_TIMEOUT) return 0;
        return fprintf(stderr, "%s\n", response.failure().text().c_str()), -1;
    }
    caller->replied = note_reply(response->data.data(), response->data.size());
    caller->response = std::move(*response);
    return 0;
}

int take_response(void *self, const uint8_t **data, size_t *len, int) {
    auto *caller = static_cast<Caller *>(self);
    if (!caller->response) return 0;
    *data = caller->response->data.data();
    *len = caller->response->data.size();
    return 1;
}

void release(void *self) { static_cast<Caller *>(self)->response.reset(); }

} // namespace

int main(int argc, char **argv) {
    const arguments a = parse(argc, argv);
    const auto context = saltus::Context::create().or_exit();
    const auto node = context.node(a.is_ping ? "ping" : "pong").or_exit();
    const std::string name = std::string("call_") + a.tag;
    int result = 0;
    if (a.is_ping) {
        Caller caller{saltus::Client<Echo>::create(node, name).or_exit(), Echo::Request(), {}};
        caller.client.wait(10s).or_exit();
        transport t = {&caller, ask, take_response, release, SALTUS_VERSION, nullptr, &caller.replied};
        result = ping(&a, &t);
    } else {
        const auto executor = saltus::Executor::create(context).or_exit();
        echoes answered = new_echoes();
        const auto server = saltus::Server<Echo>::create(node, name, [&](Echo::Request request) {
            if (!note_echo(&answered, &a, request.data.data())) executor.cancel();
            Echo::Response response;
            response.data = std::move(request.data);
            return response;
        }).or_exit();
        executor.add_node(node).or_exit();
        executor.spin().or_exit();
        print_echoes(&answered);
    }
    usleep(100000); /* gives the last messages time to arrive */
    return result;
}
