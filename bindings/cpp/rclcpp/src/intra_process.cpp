#include "intra_process.hpp"

#include <algorithm>
#include <stdexcept>

#include "libsaltus.hpp"

namespace rclcpp::detail
{

void IntraProcessQueue::open(saltus_guard_t * guard)
{
  std::lock_guard<std::mutex> lock(mutex_);
  guard_ = guard;
}

void IntraProcessQueue::close()
{
  saltus_guard_t * guard = nullptr;
  std::deque<IntraProcessMessage> messages;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::swap(guard, guard_);
    std::swap(messages, messages_);
  }
  // The callback of the guard may wait for the lock, and this waits for that callback.
  saltus_guard_destroy(guard);
}

size_t IntraProcessQueue::depth() const {return std::max<size_t>(qos_.depth(), 1);}

void IntraProcessQueue::push(IntraProcessMessage message)
{
  std::optional<IntraProcessMessage> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  if (guard_ == nullptr) {
    return;
  }
  if (messages_.size() == depth()) {
    dropped = std::move(messages_.front());
    messages_.pop_front();
    lost_ += 1;
  }
  messages_.push_back(std::move(message));
  saltus_guard_trigger(guard_);
}

std::optional<IntraProcessMessage> IntraProcessQueue::pop()
{
  std::lock_guard<std::mutex> lock(mutex_);
  if (messages_.empty()) {
    return std::nullopt;
  }
  std::optional<IntraProcessMessage> message(std::move(messages_.front()));
  messages_.pop_front();
  if (!messages_.empty()) {
    saltus_guard_trigger(guard_);
  }
  return message;
}

bool IntraProcessQueue::is_empty() const
{
  std::lock_guard<std::mutex> lock(mutex_);
  return messages_.empty();
}

size_t IntraProcessQueue::capacity() const
{
  std::lock_guard<std::mutex> lock(mutex_);
  return depth() - messages_.size();
}

void IntraProcessTopic::add_queue(const std::shared_ptr<IntraProcessQueue> & queue)
{
  std::lock_guard<std::mutex> lock(mutex_);
  queues_.push_back(queue);
  version_ += 1;
}

void IntraProcessTopic::remove_queue(const IntraProcessQueue * queue)
{
  std::lock_guard<std::mutex> lock(mutex_);
  queues_.erase(
    std::remove_if(
      queues_.begin(), queues_.end(), [queue](const std::weak_ptr<IntraProcessQueue> & weak) {
        const auto other = weak.lock();
        return !other || other.get() == queue;
      }), queues_.end());
  version_ += 1;
}

void IntraProcessTopic::add_publisher(const QoS & qos)
{
  std::lock_guard<std::mutex> lock(mutex_);
  publishers_.push_back(qos);
}

void IntraProcessTopic::remove_publisher(const QoS & qos)
{
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(publishers_.begin(), publishers_.end(), qos);
  if (found != publishers_.end()) {
    publishers_.erase(found);
  }
}

namespace
{

/// Whether the profiles fit. Endpoints that exchange pointers differ only in what this compares.
bool fits(const QoS & publisher, const QoS & subscription)
{
  return publisher.reliability() == ReliabilityPolicy::Reliable ||
         subscription.reliability() != ReliabilityPolicy::Reliable;
}

}  // namespace

size_t IntraProcessTopic::publisher_count(const QoS & subscription) const
{
  std::lock_guard<std::mutex> lock(mutex_);
  const auto of_subscription = [&](const QoS & publisher) {return fits(publisher, subscription);};
  return static_cast<size_t>(std::count_if(publishers_.begin(), publishers_.end(), of_subscription));
}

std::vector<std::shared_ptr<IntraProcessQueue>> IntraProcessTopic::queues(const QoS & publisher) const
{
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<IntraProcessQueue>> result;
  for (const auto & weak : queues_) {
    auto queue = weak.lock();
    if (queue && fits(publisher, queue->qos())) {
      result.push_back(std::move(queue));
    }
  }
  return result;
}

bool exchanges_pointers(
  IntraProcessSetting setting, const node_interfaces::NodeBaseInterface & node_base, const QoS & qos)
{
  const bool is_wanted = setting == IntraProcessSetting::Enable ||
    (setting == IntraProcessSetting::NodeDefault && node_base.get_use_intra_process_default());
  const rmw_qos_profile_t & profile = qos.get_rmw_qos_profile();
  const auto is_none = [](const rmw_time_t & time) {
      return rmw_time_equal(time, RMW_DURATION_UNSPECIFIED) || rmw_time_equal(time, RMW_DURATION_INFINITE);
    };
  return is_wanted && profile.history == RMW_QOS_POLICY_HISTORY_KEEP_LAST &&
         profile.durability == RMW_QOS_POLICY_DURABILITY_VOLATILE &&
         profile.liveliness != RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC && is_none(profile.deadline) &&
         is_none(profile.lifespan) && is_none(profile.liveliness_lease_duration);
}

std::shared_ptr<IntraProcessTopic> IntraProcessTopics::topic(
  const std::string & name, const saltus::MessageSupport & type)
{
  const std::string hash(reinterpret_cast<const char *>(type.hash.value), sizeof type.hash.value);
  const std::string key = name + " " + type.name + " " + hash;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto known = topics_.begin(); known != topics_.end(); ) {
    known = known->second.expired() ? topics_.erase(known) : std::next(known);
  }
  auto topic = topics_[key].lock();
  if (!topic) {
    topic = std::make_shared<IntraProcessTopic>();
    topics_[key] = topic;
  }
  return topic;
}

IntraProcessSender::IntraProcessSender(std::shared_ptr<IntraProcessTopic> topic, const QoS & qos)
: topic_(std::move(topic)), qos_(qos)
{
  topic_->add_publisher(qos_);
}

IntraProcessSender::~IntraProcessSender() {topic_->remove_publisher(qos_);}

std::vector<std::shared_ptr<IntraProcessQueue>> IntraProcessSender::queues()
{
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t version = topic_->version();
  if (version_ != version) {
    version_ = version;
    const auto all = topic_->queues(qos_);
    queues_.assign(all.begin(), all.end());
  }
  std::vector<std::shared_ptr<IntraProcessQueue>> result;
  for (const auto & weak : queues_) {
    if (auto queue = weak.lock()) {
      result.push_back(std::move(queue));
    }
  }
  return result;
}

namespace
{

/// Adds a subscription to those that get a message of a type.
void add(IntraProcessReceivers & receivers, std::shared_ptr<IntraProcessQueue> queue, std::type_index type)
{
  // A subscription that takes another type reads the message, and makes its own of it.
  auto & list = queue->wants().owns && queue->wants().type == type ? receivers.owning : receivers.sharing;
  list.push_back(std::move(queue));
}

}  // namespace

IntraProcessReceivers IntraProcessSender::receivers(std::type_index ros_type)
{
  IntraProcessReceivers result;
  for (auto & queue : queues()) {
    add(result, std::move(queue), ros_type);
  }
  return result;
}

std::pair<IntraProcessReceivers, IntraProcessReceivers> IntraProcessSender::receivers_of(
  std::type_index type, std::type_index ros_type)
{
  std::pair<IntraProcessReceivers, IntraProcessReceivers> result;
  for (auto & queue : queues()) {
    if (queue->wants().type == type) {
      add(result.first, std::move(queue), type);
    } else {
      add(result.second, std::move(queue), ros_type);
    }
  }
  return result;
}

size_t IntraProcessSender::subscription_count() {return queues().size();}

size_t IntraProcessSender::lowest_capacity()
{
  const auto all = queues();
  const auto has_less = [](const auto & left, const auto & right) {return left->capacity() < right->capacity();};
  const auto fullest = std::min_element(all.begin(), all.end(), has_less);
  return fullest == all.end() ? 0 : (*fullest)->capacity();
}

}  // namespace rclcpp::detail
