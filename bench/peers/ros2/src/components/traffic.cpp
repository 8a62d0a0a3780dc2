#include "traffic.hpp"

#include "idle.hpp"

#include <rclcpp_components/register_node_macro.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace saltus_bench {

namespace {

/* A publisher without a rate sends its message again if the node has received nothing for this time, because the first
 * ones may be lost while the system starts. */
constexpr std::chrono::milliseconds SILENCE(200);

uint64_t monotonic_now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

uint32_t since(uint64_t time, uint64_t now) {
    return static_cast<uint32_t>(std::min<uint64_t>(now > time ? now - time : 0, UINT32_MAX));
}

/** Counts the primes up to a number, by trial division. */
void count_primes(uint32_t limit) {
    volatile uint32_t count = 0;
    for (uint32_t number = 2; number <= limit; number++) {
        uint32_t divisor = 2;
        while (divisor < number && number % divisor != 0) divisor++;
        if (divisor == number) count = count + 1;
    }
}

/** A rule and the inputs that it waits for. */
struct Rule {
    Forward data;
    std::optional<Sender> sender;
    /** The origin of each input that is new since the rule has run. */
    std::vector<std::optional<uint64_t>> origins;
    std::mutex mutex;

    void run(size_t place, const Input &input) {
        const std::lock_guard<std::mutex> guard(mutex);
        origins[place] = input.origin;
        const auto is_new = [](const auto &origin) { return origin.has_value(); };
        if (data.waits_for_all && !std::all_of(origins.begin(), origins.end(), is_new)) return;
        uint64_t oldest = UINT64_MAX;
        for (auto &origin : origins) {
            oldest = std::min(oldest, origin.value_or(UINT64_MAX));
            origin.reset();
        }
        count_primes(data.work);
        if (sender) sender->send(data.restart ? std::nullopt : std::make_optional(oldest), input.data);
    }
};

/** A publisher with a timer, and the latest messages of its inputs. */
struct Source {
    uint32_t work;
    /** Whether it publishes only after a silence. */
    bool is_once;
    Sender sender;
    std::vector<std::optional<uint64_t>> origins;
    std::mutex mutex;
    uint64_t received_before = 0;
    bool has_begun = false;

    Source(const Cycle &cycle, Sender sender)
        : work(cycle.work), is_once(cycle.hz == 0), sender(std::move(sender)), origins(cycle.inputs.size()) {}

    void set_latest(size_t place, uint64_t origin) {
        const std::lock_guard<std::mutex> guard(mutex);
        origins[place] = origin;
    }

    /** Publishes a message. It begins when all subscriptions are there. */
    void run(uint64_t received) {
        const bool is_silent = std::exchange(received_before, received) == received;
        if ((is_once && !is_silent) || (!has_begun && !sender.is_matched())) return;
        has_begun = true;
        count_primes(work);
        sender.send(oldest(), {});
    }

    std::optional<uint64_t> oldest() {
        const std::lock_guard<std::mutex> guard(mutex);
        std::optional<uint64_t> oldest;
        for (const auto &origin : origins)
            if (origin && (!oldest || *origin < *oldest)) oldest = origin;
        return oldest;
    }
};

} // namespace

Sender::Sender(rclcpp::Node &node, const Output &output, const System &system)
    : publisher_(node.create_publisher<Payload>(output.topic, rclcpp::QoS(system.depth))), bytes_(output.bytes),
      receivers_(system.receivers(output.topic)),
      within_process_(node.get_node_options().use_intra_process_comms()) {
    message_.topic_id = output.id;
    message_.data_size = static_cast<uint32_t>(bytes_);
    if (!within_process_) message_.data.resize(bytes_);
}

void Sender::fill(Payload &message, uint64_t origin, const std::vector<uint8_t> &data) {
    /* Each byte is written once, also of a message that is new. */
    const auto copied = static_cast<std::ptrdiff_t>(std::min(bytes_, data.size()));
    if (message.data.empty()) {
        message.data.reserve(bytes_);
        message.data.assign(data.begin(), data.begin() + copied);
        message.data.resize(bytes_);
    } else {
        std::copy_n(data.begin(), copied, message.data.begin());
        std::fill(message.data.begin() + copied, message.data.end(), 0);
    }
    if (bytes_ >= sizeof origin) std::memcpy(message.data.data(), &origin, sizeof origin);
}

void Sender::send(std::optional<uint64_t> origin, const std::vector<uint8_t> &data) {
    message_.timestamp = monotonic_now();
    const uint64_t first = origin.value_or(message_.timestamp);
    if (within_process_) {
        /* The subscriptions of the process get this message itself. */
        auto message = std::make_unique<Payload>(message_);
        fill(*message, first, data);
        publisher_->publish(std::move(message));
    } else {
        fill(message_, first, data);
        publisher_->publish(message_);
    }
    message_.sequence_number++;
}

Traffic::Traffic(const rclcpp::NodeOptions &options) : rclcpp::Node("traffic", options) {
    const System system = System::read(declare_parameter<std::string>("system"));
    const std::string folder = declare_parameter<std::string>("record", "");
    const NodeData &data = system.node(get_name());
    depth_ = system.depth;
    if (!folder.empty()) recorder_.emplace(folder + "/" + get_name());
    for (const std::string &topic : data.subscribe) subscribe(topic, [](const Input &) {});
    for (const Cycle &cycle : data.publish) open(cycle, system);
    for (const Forward &rule : data.forward) open(rule, system);
}

/** Opens a subscription, which records each message and then calls `then`. */
template <typename Then> void Traffic::subscribe(const std::string &topic, Then then) {
    const auto number = static_cast<uint32_t>(subscriptions_.size());
    const auto receive = [this, number, then](Payload::ConstSharedPtr message) {
        uint64_t origin = message->timestamp;
        if (message->data.size() >= sizeof origin) std::memcpy(&origin, message->data.data(), sizeof origin);
        note(number, *message, origin);
        then(Input{origin, message->data});
    };
    subscriptions_.push_back(create_subscription<Payload>(topic, rclcpp::QoS(depth_), receive));
}

void Traffic::note(uint32_t subscription, const Payload &message, uint64_t origin) {
    const uint64_t now = monotonic_now(), sent = message.timestamp;
    received_++;
    if (!recorder_) return;
    const std::lock_guard<std::mutex> guard(recording_);
    recorder_->add({subscription, message.topic_id, message.sequence_number, since(sent, now), since(origin, now),
                    {static_cast<uint32_t>(sent), static_cast<uint32_t>(sent >> 32)}});
}

void Traffic::open(const Cycle &cycle, const System &system) {
    auto source = std::make_shared<Source>(cycle, Sender(*this, cycle.output, system));
    for (size_t place = 0; place < cycle.inputs.size(); place++)
        subscribe(cycle.inputs[place],
                  [source, place](const Input &input) { source->set_latest(place, input.origin); });
    const std::chrono::duration<double> period =
        source->is_once ? SILENCE : std::chrono::duration<double>(1 / cycle.hz);
    timers_.push_back(create_wall_timer(period, [this, source] { source->run(received_); }));
}

void Traffic::open(const Forward &forward, const System &system) {
    auto rule = std::make_shared<Rule>();
    rule->data = forward;
    if (forward.output) rule->sender.emplace(*this, *forward.output, system);
    rule->origins.resize(forward.inputs.size());
    for (size_t place = 0; place < forward.inputs.size(); place++)
        subscribe(forward.inputs[place], [rule, place](const Input &input) { rule->run(place, input); });
}

} // namespace saltus_bench

RCLCPP_COMPONENTS_REGISTER_NODE(saltus_bench::Traffic)
RCLCPP_COMPONENTS_REGISTER_NODE(saltus_bench::Idle)
