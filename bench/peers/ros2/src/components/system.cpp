#include "system.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <stdexcept>

namespace saltus_bench {

namespace {

using Strings = std::vector<std::string>;

void append(Strings &all, const Strings &more) { all.insert(all.end(), more.begin(), more.end()); }

Output read_output(const YAML::Node &node, uint32_t &ids) {
    return {node["topic"].as<std::string>(), node["bytes"].as<size_t>(), ++ids};
}

Cycle read_cycle(const YAML::Node &node, uint32_t &ids) {
    return {read_output(node, ids), node["hz"].as<double>(), node["inputs"].as<Strings>(Strings()),
            node["work"].as<uint32_t>(0)};
}

Forward read_forward(const YAML::Node &node, uint32_t &ids) {
    Forward rule;
    rule.waits_for_all = node["when"].as<std::string>("each") == "all";
    rule.inputs = node["inputs"].as<Strings>(Strings());
    rule.work = node["work"].as<uint32_t>(0);
    rule.restart = node["restart"].as<bool>(false);
    if (node["topic"]) rule.output = read_output(node, ids);
    return rule;
}

NodeData read_node(const YAML::Node &node, uint32_t &ids) {
    NodeData data;
    data.name = node["name"].as<std::string>();
    for (const auto &item : node["publish"]) data.publish.push_back(read_cycle(item, ids));
    data.subscribe = node["subscribe"].as<Strings>(Strings());
    for (const auto &item : node["forward"]) data.forward.push_back(read_forward(item, ids));
    return data;
}

} // namespace

Strings NodeData::inputs() const {
    Strings all = subscribe;
    for (const Cycle &cycle : publish) append(all, cycle.inputs);
    for (const Forward &rule : forward) append(all, rule.inputs);
    return all;
}

System System::read(const std::string &path) {
    const YAML::Node document = YAML::LoadFile(path);
    System system;
    system.depth = document["depth"].as<size_t>(10);
    uint32_t ids = 0;
    for (const auto &node : document["nodes"]) system.nodes.push_back(read_node(node, ids));
    return system;
}

const NodeData &System::node(const std::string &name) const {
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [&](const NodeData &node) { return node.name == name; });
    if (found == nodes.end()) throw std::runtime_error("the system has no node `" + name + "`");
    return *found;
}

Strings System::outputs() const {
    Strings all;
    for (const NodeData &node : nodes) {
        for (const Cycle &cycle : node.publish) all.push_back(cycle.output.topic);
        for (const Forward &rule : node.forward)
            if (rule.output) all.push_back(rule.output->topic);
    }
    return all;
}

size_t System::receivers(const std::string &topic) const {
    size_t count = 0;
    for (const NodeData &node : nodes) {
        const Strings all = node.inputs();
        count += static_cast<size_t>(std::count(all.begin(), all.end(), topic));
    }
    return count;
}

} // namespace saltus_bench
