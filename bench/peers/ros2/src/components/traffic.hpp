/* The component that publishes, receives and works as a node of a described system. */
#pragma once

#include "record.hpp"
#include "system.hpp"

#include <rclcpp/rclcpp.hpp>
#include <saltus_bench_ros2/msg/payload.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace saltus_bench {

/** A message on which another one depends. */
struct Input {
    /** When the source sent the first message of the chain. */
    uint64_t origin;
    const std::vector<uint8_t> &data;
};

/** A publisher and its message. */
class Sender {
public:
    using Payload = saltus_bench_ros2::msg::Payload;

    Sender(rclcpp::Node &node, const Output &output, const System &system);
    bool is_matched() const { return publisher_->get_subscription_count() >= receivers_; }
    /** Publishes a message with this origin (now if there is none) and the rest of `data`, as far as it has place. */
    void send(std::optional<uint64_t> origin, const std::vector<uint8_t> &data);

private:
    void fill(Payload &message, uint64_t origin, const std::vector<uint8_t> &data);

    rclcpp::Publisher<Payload>::SharedPtr publisher_;
    Payload message_;
    size_t bytes_, receivers_;
    bool within_process_;
};

/**
 * Does what a system says about the node with its name.
 *
 * | parameter | content |
 * |---|---|
 * | `system` | the path of a file |
 * | `record` | the folder in which a file with the name of the node contains what it has received; empty for none |
 */
class Traffic : public rclcpp::Node {
public:
    explicit Traffic(const rclcpp::NodeOptions &options);

private:
    using Payload = Sender::Payload;

    template <typename Then> void subscribe(const std::string &topic, Then then);
    void note(uint32_t subscription, const Payload &message, uint64_t origin);
    void open(const Cycle &cycle, const System &system);
    void open(const Forward &forward, const System &system);

    /** The depth of all queues. */
    size_t depth_ = 0;
    std::optional<Recorder> recorder_;
    std::mutex recording_;
    std::vector<rclcpp::Subscription<Payload>::SharedPtr> subscriptions_;
    std::vector<rclcpp::TimerBase::SharedPtr> timers_;
    /** How many messages the node has received. */
    std::atomic<uint64_t> received_{0};
};

} // namespace saltus_bench
