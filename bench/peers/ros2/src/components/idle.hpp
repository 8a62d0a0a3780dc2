/* The component that does nothing. */
#pragma once

#include <rclcpp/rclcpp.hpp>

namespace saltus_bench {

/** A node with nothing but what each node has: its parameter services and its logs. */
class Idle : public rclcpp::Node {
public:
    explicit Idle(const rclcpp::NodeOptions &options) : rclcpp::Node("idle", options) {}
};

} // namespace saltus_bench
