/* A program with nodes that are compiled in. It runs until Ctrl-C:
 *
 *     nodes PLUGIN NODE,NODE,... single|events|isolated intra|inter --ros-args ...
 *
 * `single` and `events` run all nodes on one executor. `isolated` runs each node on a thread of its own. With `intra`,
 * messages stay within the process. */
#include "idle.hpp"
#include "split.hpp"
#include "traffic.hpp"

#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>

#include <cstdio>
#include <thread>

namespace {

using Nodes = std::vector<rclcpp::Node::SharedPtr>;
using rclcpp::executors::SingleThreadedExecutor;
using rclcpp::experimental::executors::EventsExecutor;

rclcpp::Node::SharedPtr create(const std::string &plugin, const std::string &name, bool within_process) {
    rclcpp::NodeOptions options;
    options.use_intra_process_comms(within_process).arguments({"--ros-args", "-r", "__node:=" + name});
    if (plugin == "saltus_bench::Idle") return std::make_shared<saltus_bench::Idle>(options);
    return std::make_shared<saltus_bench::Traffic>(options);
}

template <typename Executor> void spin(const Nodes &nodes) {
    Executor executor;
    for (const auto &node : nodes) executor.add_node(node);
    executor.spin();
}

void spin_isolated(const Nodes &nodes) {
    std::vector<std::thread> threads;
    for (const auto &node : nodes) threads.emplace_back([node] { spin<SingleThreadedExecutor>({node}); });
    for (std::thread &thread : threads) thread.join();
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> words = rclcpp::init_and_remove_ros_arguments(argc, argv);
    if (words.size() != 5) {
        std::fprintf(stderr, "nodes: expected PLUGIN NODE,NODE,... single|events|isolated intra|inter\n");
        return 2;
    }
    Nodes nodes;
    for (const std::string &name : saltus_bench::split(words[2]))
        nodes.push_back(create(words[1], name, words[4] == "intra"));
    if (words[3] == "isolated") {
        spin_isolated(nodes);
    } else if (words[3] == "events") {
        spin<EventsExecutor>(nodes);
    } else {
        spin<SingleThreadedExecutor>(nodes);
    }
    rclcpp::shutdown();
}
