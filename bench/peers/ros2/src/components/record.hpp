/* The messages that a node has received, in a file. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

namespace saltus_bench {

/** A message that was received. Times are in nanoseconds. */
struct Received {
    uint32_t subscription, publisher, sequence;
    /** From `publish` to the callback. */
    uint32_t latency;
    /** From the message of a source on which it depends to the callback. */
    uint32_t age;
    /** The low and the high word of the time at which it was published. */
    uint32_t sent[2];
};
static_assert(sizeof(Received) == 28, "The file has no padding. The benchmark reads it.");

/** Writes messages to a file, as words in little-endian order. */
class Recorder {
public:
    explicit Recorder(const std::string &path) : path_(path), file_(path, std::ios::binary) {
        if (!file_) throw std::runtime_error("can't create " + path);
    }

    Recorder(const Recorder &) = delete;
    Recorder &operator=(const Recorder &) = delete;

    ~Recorder() {
        if (!file_.flush()) std::fprintf(stderr, "can't write %s\n", path_.c_str());
    }

    void add(const Received &received) {
        if (!file_.write(reinterpret_cast<const char *>(&received), sizeof received))
            throw std::runtime_error("can't write " + path_);
    }

private:
    std::string path_;
    std::ofstream file_;
};

} // namespace saltus_bench
