/* Systems as data: nodes, topics, sizes, rates, work. The format is that of `saltus bench topology`. */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace saltus_bench {

/** What is published. */
struct Output {
    std::string topic;
    /** The size of the data in a message. */
    size_t bytes = 0;
    /** The number of the publisher, which no other publisher of the system has. */
    uint32_t id = 0;
};

/** A publisher with a timer. */
struct Cycle {
    Output output;
    /** The rate; 0 if a message is published at the beginning, and again whenever the node has received nothing for
     * 0.2 s. */
    double hz = 0;
    /** Topics whose latest messages are used. */
    std::vector<std::string> inputs;
    /** The primes up to this number are counted, by trial division. */
    uint32_t work = 0;
};

/** What a node does when messages arrive. */
struct Forward {
    /** Whether it waits until all inputs have a new message. */
    bool waits_for_all = false;
    std::vector<std::string> inputs;
    uint32_t work = 0;
    std::optional<Output> output;
    /** Whether the message counts as a new one of a source. */
    bool restart = false;
};

/** A node of a system. */
struct NodeData {
    std::string name;
    std::vector<Cycle> publish;
    std::vector<std::string> subscribe;
    std::vector<Forward> forward;

    /** The topics that the node subscribes to. A topic is there once for each subscription. */
    std::vector<std::string> inputs() const;
};

/** A system: what each node publishes, receives and computes. */
struct System {
    /** The depth of all queues. */
    size_t depth = 10;
    std::vector<NodeData> nodes;

    /** Reads a file of YAML or JSON. Throws if it can't be read or is not a system. */
    static System read(const std::string &path);
    /** Returns the node with this name. Throws if there is none. */
    const NodeData &node(const std::string &name) const;
    /** The topics of all publishers. A topic is there once for each publisher. */
    std::vector<std::string> outputs() const;
    /** The number of subscriptions of a topic. */
    size_t receivers(const std::string &topic) const;
};

} // namespace saltus_bench
