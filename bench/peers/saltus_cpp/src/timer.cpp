/* A timer of the C++ API of Saltus, which notes the times of its callbacks. */
#include "times.h"

#include "saltus/saltus.hpp"

int main(int argc, char **argv) {
    timeouts t = new_timeouts(argc, argv);
    const auto context = saltus::Context::create().or_exit();
    const auto node = context.node("timer").or_exit();
    const bool blocks = std::string(text_of(argc, argv, "--wait")) == "block";
    const auto executor =
        saltus::Executor::create(context, 1, blocks ? saltus::Wait::block : saltus::Wait::adaptive).or_exit();
    executor.add_node(node).or_exit();
    const auto timer = node.timer(std::chrono::nanoseconds(t.timeout_ns), [&] {
        if (!note_timeout(&t, clock_ns(CLOCK_MONOTONIC))) executor.cancel();
    });
    timer.failure().or_exit();
    t.start = used();
    executor.spin().or_exit();
    return write_timeouts(&t, SALTUS_VERSION);
}
