/* The messages that a node has received, in a file. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
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
    explicit Recorder(const std::string &path) : file_(std::fopen(path.c_str(), "wb"), std::fclose) {
        if (!file_) throw std::runtime_error("can't create " + path);
        /* A small buffer, because its memory counts as that of the measured node. */
        std::setvbuf(file_.get(), nullptr, _IOFBF, 4096);
    }

    void add(const Received &received) {
        if (std::fwrite(&received, sizeof received, 1, file_.get()) != 1)
            throw std::runtime_error("can't write what was received");
    }

private:
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
};

} // namespace saltus_bench
