// What the subjects in C++ keep of endpoints and lifecycle nodes, whatever their API.
#ifndef KNOWN_HPP_
#define KNOWN_HPP_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "outcome.hpp"
#include "rmw/qos_policy_kind.h"

/// The numbers and the events that an endpoint has received so far.
class Known
{
public:
  void add_number(uint64_t number)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    numbers_.push_back(number);
    changed_.notify_all();
  }

  void add_event(const std::string & kind, const std::string & text)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    events_[kind] = text;
    changed_.notify_all();
  }

  /// Returns all numbers, when there are so many.
  /// \throws Refused with the numbers that there are
  std::string received(size_t count, std::chrono::nanoseconds timeout)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool has_come = changed_.wait_for(lock, timeout, [&] {return numbers_.size() >= count;});
    std::ostringstream text;
    for (size_t index = 0; index < numbers_.size(); ++index) {
      text << (index == 0 ? "" : " ") << numbers_[index];
    }
    return has_come ? text.str() : throw Refused(text.str());
  }

  /// Returns the text of the last event of a kind, when there is one.
  std::string event(const std::string & kind, std::chrono::nanoseconds timeout)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_for(lock, timeout, [&] {return events_.count(kind) > 0;})) {
      throw Refused("no event");
    }
    return events_[kind];
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint64_t> numbers_;
  std::map<std::string, std::string> events_;
};

/// Returns the name of a policy, which is a number of rmw_qos_policy_kind_t.
inline std::string policy_name(int policy)
{
  switch (policy) {
    case RMW_QOS_POLICY_RELIABILITY: return "RELIABILITY";
    case RMW_QOS_POLICY_DURABILITY: return "DURABILITY";
    case RMW_QOS_POLICY_DEADLINE: return "DEADLINE";
    case RMW_QOS_POLICY_LIVELINESS: return "LIVELINESS";
    default: return "another policy";
  }
}

/// RELIABILITY/DURABILITY/DEPTH/DEADLINE/LIFESPAN. The times are in milliseconds, and 0 is no time.
struct Profile
{
  explicit Profile(const std::string & text)
  {
    std::istringstream stream(text);
    Words parts;
    for (std::string part; std::getline(stream, part, '/'); ) {
      parts.push_back(part);
    }
    is_reliable = parts.at(0) == "reliable";
    is_volatile = parts.at(1) == "volatile";
    depth = static_cast<uint32_t>(std::stoul(parts.at(2)));
    deadline = std::chrono::milliseconds(std::stoull(parts.at(3)));
    lifespan = std::chrono::milliseconds(std::stoull(parts.at(4)));
  }

  bool is_reliable;
  bool is_volatile;
  uint32_t depth;
  std::chrono::milliseconds deadline;
  std::chrono::milliseconds lifespan;
};

/// What the callbacks of a lifecycle node do next, and which were called.
class Plan
{
public:
  void set(const std::string & callback, const std::string & outcome)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    outcomes_[callback] = outcome;
  }

  /// Notes a call with the state before it. Returns the planned outcome, or an empty text.
  std::string call(const std::string & callback, const std::string & previous)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_ += (calls_.empty() ? "" : " ") + callback + ":" + previous;
    return std::exchange(outcomes_[callback], "");
  }

  std::string take_calls()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(calls_, "");
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::string> outcomes_;
  std::string calls_;
};

/// The lifecycle nodes of a subject. `Planned` is one: it has a plan(), and publish() returns how many numbers were dropped.
template<typename Planned>
class Lifecycles
{
public:
  using Create = std::function<std::shared_ptr<Planned>(const std::string & name)>;

  explicit Lifecycles(Create create)
  : create_(std::move(create)) {}

  static bool has(const std::string & command)
  {
    return command == "lifecycle" || command == "plan" || command == "callbacks" || command == "publish_managed";
  }

  std::string run(const Words & words)
  {
    if (words.at(0) == "lifecycle") {
      nodes_[words.at(1)] = create_(words.at(1));
      return "";
    }
    const auto found = nodes_.find(words.at(1));
    if (found == nodes_.end()) {
      throw Refused("no lifecycle node " + words.at(1));
    }
    Planned & node = *found->second;
    if (words.at(0) == "callbacks") {
      return node.plan().take_calls();
    }
    if (words.at(0) == "publish_managed") {
      return node.publish(std::stoull(words.at(2)));
    }
    node.plan().set(words.at(2), words.at(3));
    return "";
  }

private:
  Create create_;
  std::map<std::string, std::shared_ptr<Planned>> nodes_;
};

#endif  // KNOWN_HPP_
