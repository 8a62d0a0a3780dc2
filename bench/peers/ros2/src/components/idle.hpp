/* The component that does nothing. */
#pragma once

#include <rclcpp/rclcpp.hpp>

#include <cstdio>
#include <cstdlib>

namespace saltus_bench {

/** A node with nothing but what each node has: its parameter services and its logs. With the environment variable
 * `SALTUS_BENCH_ANNOUNCE`, it writes a line when it is there. */
class Idle : public rclcpp::Node {
public:
    explicit Idle(const rclcpp::NodeOptions &options) : rclcpp::Node("idle", options) {
        if (std::getenv("SALTUS_BENCH_ANNOUNCE")) {
            std::printf("%s is there\n", get_name());
            std::fflush(stdout);
        }
    }
};

} // namespace saltus_bench
