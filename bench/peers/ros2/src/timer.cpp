/* A wall timer of rclcpp, which notes the times of its callbacks. */
#include "times.h"

#include <rclcpp/rclcpp.hpp>

#include <memory>
#include <string>

int main(int argc, char **argv) {
    timeouts t = new_timeouts(argc, argv);
    rclcpp::init(0, nullptr);
    auto node = std::make_shared<rclcpp::Node>("timer");
    rclcpp::executors::SingleThreadedExecutor executor;
    auto timer = node->create_wall_timer(std::chrono::nanoseconds(t.timeout_ns), [&] {
        if (!note_timeout(&t, clock_ns(CLOCK_MONOTONIC))) executor.cancel();
    });
    executor.add_node(node);
    t.start = used();
    executor.spin();
    const std::string version = std::string("rclcpp_on_") + rmw_get_implementation_identifier();
    const int result = write_timeouts(&t, version.c_str());
    rclcpp::shutdown();
    return result;
}
