/* rclcpp_action: `rclcpp_action/…` sends one goal at a time. `rclcpp_action-feedback/…` does the same, with one feedback
 * message for each goal. `rclcpp_action-8/…` has 8 goals outstanding. `rclcpp_action-all/…` sends all goals before it waits
 * for a result. The server returns the data of a goal at once. */
#include "pingpong.h"

#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <saltus_bench_ros2/action/transfer.hpp>

#include <memory>
#include <string>
#include <vector>

using saltus_bench_ros2::action::Transfer;
using ServerGoal = rclcpp_action::ServerGoalHandle<Transfer>;
using ClientGoal = rclcpp_action::ClientGoalHandle<Transfer>;

namespace {

/* How long the asynchronous client waits for the next result before all others count as lost. */
constexpr uint64_t QUIET_NS = 5000000000u;
/* If the client gets no result for this time, it counts as idle. CPU time after that is not counted. */
constexpr uint64_t IDLE_NS = 100000000u;

struct Exchange {
    rclcpp_action::Client<Transfer>::SharedPtr client;
    rclcpp_action::Server<Transfer>::SharedPtr server;
    rclcpp::executors::SingleThreadedExecutor executor;
    Transfer::Goal outgoing;
    Transfer::Result::SharedPtr result;
    uint64_t replied = 0;
    std::shared_ptr<ServerGoal> goal;
    bool has_feedback = false;
    uint64_t feedback = 0;
    /* The first measured goal. */
    uint64_t first = 0;
};

using OnResult = std::function<void(const ClientGoal::WrappedResult &)>;

/* Sends a goal, and requests its result as soon as it is accepted. */
void send_goal(Exchange *e, OnResult on_result) {
    rclcpp_action::Client<Transfer>::SendGoalOptions options;
    options.result_callback = on_result;
    if (e->has_feedback)
        options.feedback_callback = [e](ClientGoal::SharedPtr, const std::shared_ptr<const Transfer::Feedback>) {
            e->feedback++;
        };
    e->client->async_send_goal(e->outgoing, options);
}

void set_outgoing(Exchange *e, const uint8_t *data, size_t len, uint64_t sequence) {
    if (e->outgoing.payload.size() != len) e->outgoing.payload.assign(data, data + len);
    stamp(e->outgoing.payload.data(), len, sequence);
}

int ask(void *self, const uint8_t *data, size_t len) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t sequence = stamp_at(data, 0);
    if (sequence == e->first) e->feedback = 0;
    set_outgoing(e, data, len, sequence);
    send_goal(e, [e](const ClientGoal::WrappedResult &wrapped) {
        e->result = wrapped.result;
        e->replied = note_reply(e->result->data.data(), e->result->data.size());
    });
    return 0;
}

int take_result(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    while (!e->result) {
        e->executor.spin_once(std::chrono::milliseconds(timeout_ms));
        if (!e->result && (!rclcpp::ok() || clock_ns(CLOCK_MONOTONIC) >= deadline)) return 0;
    }
    *data = e->result->data.data();
    *len = e->result->data.size();
    return 1;
}

/* Does nothing, because pong ends goals as soon as they are accepted: see `serve`. */
int end_goal(void *, const uint8_t *, size_t) { return 0; }

int take_goal(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *e = static_cast<Exchange *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    while (!e->goal) {
        e->executor.spin_once(std::chrono::milliseconds(timeout_ms));
        if (!e->goal && (!rclcpp::ok() || clock_ns(CLOCK_MONOTONIC) >= deadline)) return 0;
    }
    *data = e->goal->get_goal()->payload.data();
    *len = e->goal->get_goal()->payload.size();
    return 1;
}

void release(void *self) {
    auto *e = static_cast<Exchange *>(self);
    e->result.reset();
    e->goal.reset();
}

void serve(Exchange *e, const rclcpp::Node::SharedPtr &node, const std::string &name) {
    e->server = rclcpp_action::create_server<Transfer>(
        node, name,
        [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Transfer::Goal>) {
            return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
        },
        [](const std::shared_ptr<ServerGoal>) { return rclcpp_action::CancelResponse::REJECT; },
        [e](const std::shared_ptr<ServerGoal> goal) {
            e->goal = goal;
            if (e->has_feedback) {
                auto feedback = std::make_shared<Transfer::Feedback>();
                feedback->progress = 1.0f;
                goal->publish_feedback(feedback);
            }
            auto result = std::make_shared<Transfer::Result>();
            result->success = true;
            result->data = goal->get_goal()->payload;
            goal->succeed(result);
        });
}

/* Runs the asynchronous client, which has at most `most` goals outstanding. */
int send_many_goals(const arguments &a, Exchange *e, uint64_t most, const char *version) {
    std::vector<uint8_t> data(a.size);
    for (size_t i = 0; i < a.size; i++) data[i] = pattern(i);
    std::vector<uint32_t> nanos;
    uint64_t sent = 0, done = 0, last = clock_ns(CLOCK_MONOTONIC);
    usage start = used(), end = start;
    bool is_idle = false;
    /* The goals of the warm-up are sent one by one, as in the rows of Saltus. */
    while (done < a.warmup + a.iterations) {
        const bool is_measured = done >= a.warmup;
        if (done == a.warmup && sent == done) start = used();
        const uint64_t until = is_measured ? a.warmup + a.iterations : a.warmup;
        while (sent < until && sent - done < (is_measured ? most : 1)) {
            set_outgoing(e, data.data(), a.size, sent);
            const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
            send_goal(e, [&, begin, is_measured](const ClientGoal::WrappedResult &r) {
                last = clock_ns(CLOCK_MONOTONIC);
                done++;
                is_idle = false;
                const bool is_right = r.code == rclcpp_action::ResultCode::SUCCEEDED && r.result->data.size() == a.size;
                if (is_measured && is_right)
                    nanos.push_back(last - begin > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(last - begin));
            });
            sent++;
            last = clock_ns(CLOCK_MONOTONIC);
        }
        e->executor.spin_once(std::chrono::milliseconds(10));
        const uint64_t quiet = clock_ns(CLOCK_MONOTONIC) - last;
        if (!is_idle && quiet > IDLE_NS) {
            is_idle = true;
            end = used();
        }
        if (!rclcpp::ok() || quiet > QUIET_NS) break; /* the other goals are lost */
    }
    if (!is_idle) end = used();
    end.wall_ns = last;
    FILE *out = fopen(a.out, "wb");
    if (!out || fwrite(nanos.data(), sizeof nanos[0], nanos.size(), out) != nanos.size() || fclose(out) != 0) {
        perror(a.out);
        return 1;
    }
    printf("n=%zu lost=%" PRIu64 " ", nanos.size(), a.iterations - nanos.size());
    print_used(start, end, 0);
    printf(" version=%s\n", version);
    set_outgoing(e, data.data(), a.size, END);
    send_goal(e, [](const ClientGoal::WrappedResult &) {});
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const arguments a = parse(argc, argv);
    rclcpp::init(0, nullptr);
    auto node = std::make_shared<rclcpp::Node>(std::string(a.is_ping ? "ping_" : "pong_") + a.tag);
    const std::string name = std::string("call_") + a.tag, mode = a.mode;
    Exchange e;
    e.has_feedback = mode.rfind("rclcpp_action-feedback/", 0) == 0;
    e.first = a.warmup;
    if (a.is_ping) {
        e.client = rclcpp_action::create_client<Transfer>(node, name);
        if (!e.client->wait_for_action_server(std::chrono::seconds(10)))
            return fprintf(stderr, "the other process was not found in time\n"), 1;
    } else {
        serve(&e, node, name);
    }
    e.executor.add_node(node);
    const std::string version = std::string("rclcpp_action_on_") + rmw_get_implementation_identifier();
    int result;
    const bool is_all = mode.rfind("rclcpp_action-all/", 0) == 0;
    if (a.is_ping && (is_all || mode.rfind("rclcpp_action-8/", 0) == 0)) {
        const uint64_t most = is_all ? UINT64_MAX : 8;
        result = send_many_goals(a, &e, most, version.c_str());
    } else {
        transport t = {&e, a.is_ping ? ask : end_goal, a.is_ping ? take_result : take_goal, release,
                       version.c_str(), e.has_feedback ? &e.feedback : NULL, a.is_ping ? &e.replied : NULL};
        result = run(&a, &t);
    }
    /* This gives the last goal time to arrive. Its server must not be destroyed before the goal has ended. */
    const uint64_t until = clock_ns(CLOCK_MONOTONIC) + 200000000u;
    while (rclcpp::ok() && clock_ns(CLOCK_MONOTONIC) < until) e.executor.spin_once(std::chrono::milliseconds(10));
    e.goal.reset();
    e.executor.remove_node(node);
    rclcpp::shutdown();
    return result;
}
