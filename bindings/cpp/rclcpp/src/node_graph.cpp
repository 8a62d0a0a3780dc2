#include <algorithm>
#include <cstring>
#include <set>

#include "libsaltus_qos.hpp"
#include "node_core.hpp"

namespace rclcpp::detail
{
namespace
{

using NamesAndTypes = std::map<std::string, std::vector<std::string>>;

/// The graph at one moment.
class Snapshot
{
public:
  explicit Snapshot(Context & context)
  : graph_(nullptr, &saltus_graph_destroy)
  {
    graph_.reset(created<saltus_graph_t>(
        "failed to read the graph", [&](saltus_graph_t ** place) {
          return saltus_context_graph(context.get_saltus_context(), place);
        }));
  }

  std::vector<saltus_graph_endpoint_t> endpoints(uint8_t kind) const
  {
    std::vector<saltus_graph_endpoint_t> all(saltus_graph_endpoint_count(graph_.get(), kind));
    for (size_t index = 0; index < all.size(); ++index) {
      all[index].struct_size = sizeof all[index];
      check(saltus_graph_endpoint(graph_.get(), kind, index, &all[index]), "failed to read the graph");
    }
    return all;
  }

  std::vector<std::pair<std::string, std::string>> nodes() const
  {
    std::vector<std::pair<std::string, std::string>> all;
    for (size_t index = 0; index < saltus_graph_node_count(graph_.get()); ++index) {
      all.emplace_back(saltus_graph_node_name(graph_.get(), index), saltus_graph_node_namespace(graph_.get(), index));
    }
    return all;
  }

  NamesAndTypes names_and_types(const std::vector<uint8_t> & kinds) const
  {
    std::map<std::string, std::set<std::string>> found;
    for (const uint8_t kind : kinds) {
      for (const auto & endpoint : endpoints(kind)) {
        found[endpoint.name].insert(endpoint.type_name);
      }
    }
    return listed(found);
  }

  /// \throws std::runtime_error if there is no such node
  NamesAndTypes names_and_types_of(uint8_t kind, const std::string & name, const std::string & name_space) const
  {
    const auto all = nodes();
    const auto wanted = std::make_pair(name, name_space);
    if (std::find(all.begin(), all.end(), wanted) == all.end()) {
      throw std::runtime_error("the node '" + name + "' in the namespace '" + name_space + "' does not exist");
    }
    std::map<std::string, std::set<std::string>> found;
    for (const auto & endpoint : endpoints(kind)) {
      if (endpoint.node < all.size() && all[endpoint.node] == wanted) {
        found[endpoint.name].insert(endpoint.type_name);
      }
    }
    return listed(found);
  }

  size_t count(uint8_t kind, const std::string & name) const
  {
    const auto all = endpoints(kind);
    const auto is_it = [&](const auto & endpoint) {return name == endpoint.name;};
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), is_it));
  }

  std::vector<TopicEndpointInfo> infos(uint8_t kind, EndpointType type, const std::string & topic) const
  {
    const auto all = nodes();
    std::vector<TopicEndpointInfo> infos;
    for (const auto & endpoint : endpoints(kind)) {
      if (topic != endpoint.name) {
        continue;
      }
      const bool is_known = endpoint.node < all.size();
      std::array<uint8_t, RMW_GID_STORAGE_SIZE> gid{};
      std::memcpy(gid.data(), endpoint.gid.bytes, std::min(gid.size(), sizeof endpoint.gid.bytes));
      rosidl_type_hash_t hash{1, {}};
      std::memcpy(hash.value, endpoint.type_hash, sizeof hash.value);
      infos.emplace_back(
        is_known ? all[endpoint.node].first : "", is_known ? all[endpoint.node].second : "", endpoint.type_name, type, gid,
        qos_of(endpoint.qos), hash);
    }
    return infos;
  }

  /// Returns a number that is another one after nodes or endpoints have come or gone.
  uint64_t fingerprint() const
  {
    const std::hash<std::string> hash;
    uint64_t sum = 0;
    for (const auto & [name, name_space] : nodes()) {
      sum += hash(name_space + " " + name);
    }
    constexpr uint8_t kinds[] = {
      SALTUS_ENDPOINT_PUBLISHER, SALTUS_ENDPOINT_SUBSCRIPTION, SALTUS_ENDPOINT_SERVER, SALTUS_ENDPOINT_CLIENT};
    for (const uint8_t kind : kinds) {
      for (const auto & endpoint : endpoints(kind)) {
        const std::string gid(endpoint.gid.bytes, endpoint.gid.bytes + sizeof endpoint.gid.bytes);
        sum += hash(std::to_string(kind) + endpoint.name + " " + gid);
      }
    }
    return sum;
  }

private:
  static NamesAndTypes listed(const std::map<std::string, std::set<std::string>> & found)
  {
    NamesAndTypes result;
    for (const auto & [name, types] : found) {
      result[name].assign(types.begin(), types.end());
    }
    return result;
  }

  std::unique_ptr<saltus_graph_t, void (*)(saltus_graph_t *)> graph_;
};

/// What a thread waits for: that the graph is not the one that was seen last.
struct Change
{
  Context & context;
  Event & event;
  uint64_t seen;
};

/// The condition of a wait. It holds too if the graph can't be read any more.
bool has_changed(void * argument) noexcept
{
  auto & change = *static_cast<Change *>(argument);
  try {
    const uint64_t now = Snapshot(change.context).fingerprint();
    if (now != change.seen) {
      change.seen = now;
      change.event.set();
    }
    return change.event.check();
  } catch (...) {
    return true;
  }
}

}  // namespace

NamesAndTypes NodeCore::get_topic_names_and_types(bool) const
{
  return Snapshot(*context_).names_and_types({SALTUS_ENDPOINT_PUBLISHER, SALTUS_ENDPOINT_SUBSCRIPTION});
}

NamesAndTypes NodeCore::get_service_names_and_types() const
{
  return Snapshot(*context_).names_and_types({SALTUS_ENDPOINT_SERVER});
}

NamesAndTypes NodeCore::get_service_names_and_types_by_node(
  const std::string & node_name, const std::string & namespace_) const
{
  return Snapshot(*context_).names_and_types_of(SALTUS_ENDPOINT_SERVER, node_name, namespace_);
}

NamesAndTypes NodeCore::get_client_names_and_types_by_node(
  const std::string & node_name, const std::string & namespace_) const
{
  return Snapshot(*context_).names_and_types_of(SALTUS_ENDPOINT_CLIENT, node_name, namespace_);
}

NamesAndTypes NodeCore::get_publisher_names_and_types_by_node(
  const std::string & node_name, const std::string & namespace_, bool) const
{
  return Snapshot(*context_).names_and_types_of(SALTUS_ENDPOINT_PUBLISHER, node_name, namespace_);
}

NamesAndTypes NodeCore::get_subscriber_names_and_types_by_node(
  const std::string & node_name, const std::string & namespace_, bool) const
{
  return Snapshot(*context_).names_and_types_of(SALTUS_ENDPOINT_SUBSCRIPTION, node_name, namespace_);
}

std::vector<std::string> NodeCore::get_node_names() const
{
  std::vector<std::string> names;
  for (const auto & [name, name_space] : Snapshot(*context_).nodes()) {
    names.push_back(name_space == "/" ? "/" + name : name_space + "/" + name);
  }
  return names;
}

std::vector<std::tuple<std::string, std::string, std::string>> NodeCore::get_node_names_with_enclaves() const
{
  std::vector<std::tuple<std::string, std::string, std::string>> names;
  for (const auto & [name, name_space] : Snapshot(*context_).nodes()) {
    names.emplace_back(name, name_space, "/");
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> NodeCore::get_node_names_and_namespaces() const
{
  return Snapshot(*context_).nodes();
}

size_t NodeCore::count_publishers(const std::string & topic_name) const
{
  return Snapshot(*context_).count(SALTUS_ENDPOINT_PUBLISHER, resolve_topic_name(topic_name, false));
}

size_t NodeCore::count_subscribers(const std::string & topic_name) const
{
  return Snapshot(*context_).count(SALTUS_ENDPOINT_SUBSCRIPTION, resolve_topic_name(topic_name, false));
}

size_t NodeCore::count_clients(const std::string & service_name) const
{
  return Snapshot(*context_).count(SALTUS_ENDPOINT_CLIENT, resolve_service_name(service_name, false));
}

size_t NodeCore::count_services(const std::string & service_name) const
{
  return Snapshot(*context_).count(SALTUS_ENDPOINT_SERVER, resolve_service_name(service_name, false));
}

Event::SharedPtr NodeCore::get_graph_event()
{
  auto event = std::make_shared<Event>();
  const uint64_t seen = Snapshot(*context_).fingerprint();
  std::lock_guard<std::mutex> lock(mutex_);
  const auto has_gone = [](const auto & one) {return one.first.expired();};
  graph_events_.erase(std::remove_if(graph_events_.begin(), graph_events_.end(), has_gone), graph_events_.end());
  graph_events_.emplace_back(event, seen);
  return event;
}

void NodeCore::wait_for_graph_change(Event::SharedPtr event, std::chrono::nanoseconds timeout)
{
  if (!event) {
    throw exceptions::InvalidEventError();
  }
  const auto seen = [&]() -> uint64_t & {
      const auto is_it = [&](const auto & one) {return one.first.lock() == event;};
      const auto found = std::find_if(graph_events_.begin(), graph_events_.end(), is_it);
      if (found == graph_events_.end()) {
        throw exceptions::EventNotRegisteredError();
      }
      return found->second;
    };
  std::unique_lock<std::mutex> lock(mutex_);
  Change change{*context_, *event, seen()};
  lock.unlock();
  const saltus_status_t status =
    saltus_context_wait_until(context_->get_saltus_context(), timeout.count(), &has_changed, &change);
  lock.lock();
  seen() = change.seen;
  lock.unlock();
  if (status != SALTUS_TIMEOUT && status != SALTUS_SHUT_DOWN) {
    check(status, "failed to wait for a change of the graph");
  }
}

std::vector<TopicEndpointInfo> NodeCore::get_publishers_info_by_topic(const std::string & topic_name, bool) const
{
  return Snapshot(*context_).infos(
    SALTUS_ENDPOINT_PUBLISHER, EndpointType::Publisher, resolve_topic_name(topic_name, false));
}

std::vector<TopicEndpointInfo> NodeCore::get_subscriptions_info_by_topic(const std::string & topic_name, bool) const
{
  return Snapshot(*context_).infos(
    SALTUS_ENDPOINT_SUBSCRIPTION, EndpointType::Subscription, resolve_topic_name(topic_name, false));
}

}  // namespace rclcpp::detail
