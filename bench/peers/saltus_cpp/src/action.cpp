/* Actions of the C++ API of Saltus, with one goal at a time. The modes are cpp-action/WAIT, and cpp-action-feedback/WAIT with one feedback
 * message for each goal. The server returns the data of a goal at once. */
#include "pingpong.h"

#include <saltus/saltus.hpp>
#include <saltus_bench_cpp/action/transfer.hpp>

#include <optional>
#include <string>
#include <utility>

using saltus_bench_cpp::action::Transfer;
using namespace std::chrono_literals;

namespace {

/* Ping: the goal, whose data is created once, its result, and when it came. */
struct Caller {
    const saltus::Context &context;
    const saltus::Executor &executor;
    saltus::ActionClient<Transfer> client;
    bool has_feedback;
    /* The first measured goal. */
    uint64_t first;
    Transfer::Goal outgoing;
    std::optional<Transfer::Result> result;
    uint64_t replied = 0, feedback = 0;
};

void note_outcome(Caller *caller, saltus::Result<saltus::GoalOutcome<Transfer>> outcome) {
    if (!outcome) {
        fprintf(stderr, "%s\n", outcome.failure().text().c_str());
        return;
    }
    caller->replied = note_reply(outcome->result.data.data(), outcome->result.data.size());
    caller->result = std::move(outcome->result);
}

int ask(void *self, const uint8_t *data, size_t len) {
    auto *caller = static_cast<Caller *>(self);
    const uint64_t sequence = stamp_at(data, 0);
    if (sequence == caller->first) caller->feedback = 0;
    if (caller->outgoing.payload.size() != len) caller->outgoing.payload.assign(data, data + len);
    stamp(caller->outgoing.payload.data(), len, sequence);
    saltus::ActionClient<Transfer>::OnFeedback on_feedback;
    if (caller->has_feedback) on_feedback = [caller](const Transfer::Feedback &) { caller->feedback++; };
    const auto sent = caller->client.send_goal(
        caller->outgoing, [caller](auto outcome) { note_outcome(caller, std::move(outcome)); }, std::move(on_feedback));
    if (!sent) return fprintf(stderr, "%s\n", sent.failure().text().c_str()), -1;
    return 0;
}

int take_result(void *self, const uint8_t **data, size_t *len, int timeout_ms) {
    auto *caller = static_cast<Caller *>(self);
    const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * 1000000u;
    while (!caller->result) {
        const auto spun = caller->executor.spin_once(std::chrono::milliseconds(timeout_ms));
        if (!spun) return fprintf(stderr, "%s\n", spun.failure().text().c_str()), -1;
        if (!caller->result && (!caller->context.is_ok() || clock_ns(CLOCK_MONOTONIC) >= deadline)) return 0;
    }
    *data = caller->result->data.data();
    *len = caller->result->data.size();
    return 1;
}

void release(void *self) { static_cast<Caller *>(self)->result.reset(); }

} // namespace

int main(int argc, char **argv) {
    const arguments a = parse(argc, argv);
    const auto context = saltus::Context::create().or_exit();
    const auto node = context.node(a.is_ping ? "ping" : "pong").or_exit();
    const auto executor = saltus::Executor::create(context).or_exit();
    executor.add_node(node).or_exit();
    const std::string name = std::string("call_") + a.tag, mode = a.mode;
    const bool has_feedback = mode.rfind("cpp-action-feedback/", 0) == 0;
    int result = 0;
    if (a.is_ping) {
        Caller caller{context, executor, saltus::ActionClient<Transfer>::create(node, name).or_exit(), has_feedback, a.warmup,
                      Transfer::Goal(), {}};
        caller.client.wait(10s).or_exit();
        transport t = {&caller, ask, take_result, release, SALTUS_VERSION, has_feedback ? &caller.feedback : nullptr, &caller.replied};
        result = ping(&a, &t);
    } else {
        echoes ended = new_echoes();
        const auto server = saltus::ActionServer<Transfer>::create(node, name, [&](saltus::ServerGoal<Transfer> goal) {
            if (!note_echo(&ended, &a, goal.goal().payload.data())) executor.cancel();
            if (has_feedback) {
                Transfer::Feedback feedback;
                feedback.progress = 1.0f;
                goal.publish_feedback(feedback).or_exit();
            }
            Transfer::Result answer;
            answer.success = true;
            answer.data = goal.goal().payload;
            goal.succeed(std::move(answer)).or_exit();
        }).or_exit();
        executor.spin().or_exit();
        print_echoes(&ended);
    }
    usleep(100000); /* gives the last messages time to arrive */
    return result;
}
