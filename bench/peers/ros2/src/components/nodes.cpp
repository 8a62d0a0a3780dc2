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
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Nodes = std::vector<rclcpp::Node::SharedPtr>;
using rclcpp::executors::SingleThreadedExecutor;
using rclcpp::experimental::executors::EventsExecutor;

rclcpp::Node::SharedPtr create(const std::string &plugin, const std::string &name, bool within_process) {
    rclcpp::NodeOptions options;
    options.use_intra_process_comms(within_process).arguments({"--ros-args", "-r", "__node:=" + name});
    if (plugin == "saltus_bench::Idle") return std::make_shared<saltus_bench::Idle>(options);
    if (plugin == "saltus_bench::Traffic") return std::make_shared<saltus_bench::Traffic>(options);
    throw std::runtime_error("there is no plugin " + plugin);
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

void run(const std::vector<std::string> &words) {
    if (words.size() != 5)
        throw std::runtime_error("expected PLUGIN NODE,NODE,... single|events|isolated intra|inter");
    Nodes nodes;
    for (const std::string &name : saltus_bench::split(words[2]))
        nodes.push_back(create(words[1], name, words[4] == "intra"));
    if (words[3] == "isolated") {
        spin_isolated(nodes);
    } else if (words[3] == "events") {
        spin<EventsExecutor>(nodes);
    } else if (words[3] == "single") {
        spin<SingleThreadedExecutor>(nodes);
    } else {
        throw std::runtime_error("there is no executor " + words[3]);
    }
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> words = rclcpp::init_and_remove_ros_arguments(argc, argv);
    try {
        run(words);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nodes: %s\n", error.what());
        return 1;
    }
    rclcpp::shutdown();
}
