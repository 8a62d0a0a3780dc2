/* Loads nodes into a container, and waits until the graph has all nodes, publishers and subscriptions of a system:
 *
 *     assemble CONTAINER PLUGIN NODE,NODE,... intra|inter SECONDS --ros-args -p system:=FILE -p record:=FOLDER
 *
 * The nodes get the parameters. With `intra`, messages stay within the container. If CONTAINER is empty, the nodes are
 * started by others. */
#include "split.hpp"
#include "system.hpp"

#include <composition_interfaces/srv/load_node.hpp>
#include <rclcpp/rclcpp.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using composition_interfaces::srv::LoadNode;
using saltus_bench::System;
using Clock = std::chrono::steady_clock;

/** The parameters of the nodes: those of this program. */
std::vector<rclcpp::Parameter> parameters(rclcpp::Node &node) {
    std::vector<rclcpp::Parameter> all;
    for (const char *name : {"system", "record"})
        if (node.has_parameter(name)) all.push_back(node.get_parameter(name));
    return all;
}

/** The time until the end. It is never negative, because rclcpp would wait for ever. */
Clock::duration left(Clock::time_point end) { return std::max(end - Clock::now(), Clock::duration::zero()); }

void load(const rclcpp::Node::SharedPtr &node, rclcpp::Client<LoadNode> &client, const std::vector<std::string> &words,
          const std::string &name, Clock::time_point end) {
    auto request = std::make_shared<LoadNode::Request>();
    request->package_name = "saltus_bench_ros2";
    request->plugin_name = words[2];
    request->node_name = name;
    for (const auto &parameter : parameters(*node)) request->parameters.push_back(parameter.to_parameter_msg());
    const rclcpp::Parameter within_process("use_intra_process_comms", words[4] == "intra");
    request->extra_arguments.push_back(within_process.to_parameter_msg());
    auto future = client.async_send_request(request);
    if (rclcpp::spin_until_future_complete(node, future, left(end)) != rclcpp::FutureReturnCode::SUCCESS)
        throw std::runtime_error("the container does not answer");
    const auto response = future.get();
    if (!response->success) throw std::runtime_error(response->error_message);
}

bool is_complete(rclcpp::Node &node, const std::vector<std::string> &names, const System &system) {
    const std::vector<std::string> there = node.get_node_names();
    const auto is_there = [&](const std::string &name) {
        return std::find(there.begin(), there.end(), "/" + name) != there.end();
    };
    if (!std::all_of(names.begin(), names.end(), is_there)) return false;
    const std::vector<std::string> outputs = system.outputs();
    const auto is_connected = [&](const std::string &topic) {
        const auto publishers = static_cast<size_t>(std::count(outputs.begin(), outputs.end(), topic));
        return node.count_publishers(topic) == publishers && node.count_subscribers(topic) == system.receivers(topic);
    };
    return std::all_of(outputs.begin(), outputs.end(), is_connected);
}

void run(const std::vector<std::string> &words) {
    rclcpp::NodeOptions options;
    options.automatically_declare_parameters_from_overrides(true);
    const auto node = std::make_shared<rclcpp::Node>("assemble", options);
    const std::vector<std::string> names = saltus_bench::split(words[3]);
    const Clock::time_point end = Clock::now() + std::chrono::seconds(std::stoi(words[5]));
    const auto event = node->get_graph_event();
    if (!words[1].empty()) {
        const auto client = node->create_client<LoadNode>(words[1] + "/_container/load_node");
        if (!client->wait_for_service(left(end))) throw std::runtime_error("the container was not found");
        for (const std::string &name : names) load(node, *client, words, name, end);
    }
    const System system =
        node->has_parameter("system") ? System::read(node->get_parameter("system").as_string()) : System();
    while (!is_complete(*node, names, system)) {
        if (Clock::now() > end || !rclcpp::ok()) throw std::runtime_error("the nodes are not connected in time");
        node->wait_for_graph_change(event, std::chrono::milliseconds(100));
        event->check_and_clear();
    }
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> words = rclcpp::init_and_remove_ros_arguments(argc, argv);
    try {
        if (words.size() != 6)
            throw std::runtime_error("expected CONTAINER PLUGIN NODE,NODE,... intra|inter SECONDS");
        run(words);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "assemble: %s\n", error.what());
        return 1;
    }
    rclcpp::shutdown();
}
