// A subscription as a filter.
#ifndef MESSAGE_FILTERS_SUBSCRIBER_HPP_
#define MESSAGE_FILTERS_SUBSCRIBER_HPP_

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <rclcpp/rclcpp.hpp>

#include "message_filters/connection.hpp"
#include "message_filters/impl/link.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/simple_filter.hpp"

namespace message_filters
{

/// A subscription whose type of messages is not known.
template<class NodeType = rclcpp::Node>
class SubscriberBase
{
public:
  typedef std::shared_ptr<NodeType> NodePtr;

  virtual ~SubscriberBase() = default;

  /// Subscribes to a topic, in place of the topic before. It does not keep the node.
  virtual void subscribe(
    NodePtr node, const std::string & topic, const rmw_qos_profile_t qos = rmw_qos_profile_default,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) = 0;
  virtual void subscribe(
    NodeType * node, const std::string & topic, const rmw_qos_profile_t qos = rmw_qos_profile_default,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) = 0;
  virtual void subscribe(
    NodePtr node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) = 0;
  virtual void subscribe(
    NodeType * node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) = 0;

  /// Subscribes again, as before.
  virtual void subscribe() = 0;

  /// Ends the subscription.
  virtual void unsubscribe() = 0;
};

template<typename T>
using SubscriberBasePtr = std::shared_ptr<SubscriberBase<T>>;

/// The type of the messages that a subscription to `M` gives: that of the program if `M` is a type adapter.
template<typename M, typename = void>
struct message_type
{
  using type = M;
};

template<typename M>
struct message_type<M, std::enable_if_t<M::is_specialized::value>>
{
  using type = typename M::custom_type;
};

template<typename M>
using message_type_t = typename message_type<M>::type;

namespace impl
{

/// Returns a function that returns a node while it exists.
template<class Node>
auto accessTo(const std::shared_ptr<Node> & node)
{
  return [weak = std::weak_ptr<Node>(node)] {return weak.lock();};
}

template<class Node>
auto accessTo(Node * node)
{
  return [node] {return node;};
}

template<class Node, typename = decltype(std::declval<Node &>().get_node_topics_interface())>
auto accessTo(Node & node)
{
  return accessTo(&node);
}

/// Whether `Node` is a node or a pointer to a node of another type than `NodeType`, or a reference to any node.
template<class Node, class NodeType>
using OtherNode = std::enable_if_t<
  !std::is_convertible_v<Node, std::shared_ptr<NodeType>> && !std::is_convertible_v<Node, NodeType *>>;

/// Returns the QoS settings of a profile.
inline rclcpp::QoS toQoS(const rmw_qos_profile_t & profile)
{
  return rclcpp::QoS(rclcpp::QoSInitialization::from_rmw(profile), profile);
}

}  // namespace impl

/// A subscription as a filter: it passes the messages of a topic on. Its end ends the subscription.
///
/// The node is of the type `NodeType`, given by a pointer. With settings of the type rclcpp::QoS, it may also be of
/// another type, and may be given by a reference.
template<class M, class NodeType = rclcpp::Node>
class Subscriber : public SubscriberBase<NodeType>, public SimpleFilter<message_type_t<M>>
{
public:
  typedef std::shared_ptr<NodeType> NodePtr;
  typedef message_type_t<M> MessageType;
  typedef MessageEvent<MessageType const> EventType;

  /// Has no subscription.
  Subscriber() = default;

  /// Subscribes to a topic.
  Subscriber(
    NodePtr node, const std::string & topic, const rmw_qos_profile_t qos = rmw_qos_profile_default,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions())
  {
    Subscriber::subscribe(node, topic, qos, options);
  }
  Subscriber(
    NodeType * node, const std::string & topic, const rmw_qos_profile_t qos = rmw_qos_profile_default,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions())
  {
    Subscriber::subscribe(node, topic, qos, options);
  }
  Subscriber(
    NodePtr node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions())
  {
    Subscriber::subscribe(node, topic, qos, options);
  }
  Subscriber(
    NodeType * node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions())
  {
    Subscriber::subscribe(node, topic, qos, options);
  }
  template<class Node, typename = impl::OtherNode<Node, NodeType>>
  Subscriber(
    Node && node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions())
  {
    subscribe(node, topic, qos, options);
  }

  /// Ends the subscription, and waits until no callback runs on another thread.
  ~Subscriber() override
  {
    Subscriber::unsubscribe();
  }

  /// Subscribes to a topic, in place of the topic before; an empty name ends the subscription.
  void subscribe(
    NodePtr node, const std::string & topic, const rmw_qos_profile_t qos = rmw_qos_profile_default,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) override
  {
    subscribeBy(impl::accessTo(node), topic, impl::toQoS(qos), options);
  }
  void subscribe(
    NodeType * node, const std::string & topic, const rmw_qos_profile_t qos = rmw_qos_profile_default,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) override
  {
    subscribeBy(impl::accessTo(node), topic, impl::toQoS(qos), options);
  }
  void subscribe(
    NodePtr node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) override
  {
    subscribeBy(impl::accessTo(node), topic, qos, options);
  }
  void subscribe(
    NodeType * node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions()) override
  {
    subscribeBy(impl::accessTo(node), topic, qos, options);
  }
  template<class Node, typename = impl::OtherNode<Node, NodeType>>
  void subscribe(
    Node && node, const std::string & topic, const rclcpp::QoS & qos,
    rclcpp::SubscriptionOptions options = rclcpp::SubscriptionOptions())
  {
    subscribeBy(impl::accessTo(node), topic, qos, options);
  }

  /// Subscribes again, as before. Does nothing if it has never subscribed.
  ///
  /// Throws std::runtime_error if the node does not exist any more.
  void subscribe() override
  {
    if (const std::function<void ()> again = subscribe_again_) {
      again();
    }
  }

  /// Ends the subscription, and waits until no callback runs on another thread.
  void unsubscribe() override
  {
    if (link_) {
      link_->close();
    }
    subscription_.reset();
  }

  /// Returns the topic, as it was given.
  std::string getTopic() const
  {
    return topic_;
  }

  /// Returns the subscription, or null.
  const typename rclcpp::Subscription<M>::SharedPtr getSubscriber() const
  {
    return subscription_;
  }

  /// Does nothing: it makes the subscription usable in a Chain.
  template<typename F>
  void connectInput(F &)
  {
  }

  /// Does nothing: it makes the subscription usable in a Chain.
  void add(const EventType &)
  {
  }

private:
  using Link = impl::Link<Subscriber>;

  template<class Access>
  void subscribeBy(
    Access access, const std::string & topic, const rclcpp::QoS & qos, const rclcpp::SubscriptionOptions & options)
  {
    unsubscribe();
    if (topic.empty()) {
      return;
    }
    const auto node = access();
    if (!node) {
      throw std::runtime_error("Subscriber: the node of the topic '" + topic + "' does not exist (any more)");
    }
    topic_ = topic;
    link_ = std::make_shared<Link>(*this);
    subscribe_again_ = [this, access, topic, qos, options] {subscribeBy(access, topic, qos, options);};
    subscription_ = rclcpp::create_subscription<M>(
      *node, topic, qos, [link = link_](const std::shared_ptr<MessageType const> message) {pass(link, message);}, options);
  }

  static void pass(std::shared_ptr<Link> link, const std::shared_ptr<MessageType const> & message)
  {
    link->repeat(
      [&message](Subscriber & subscriber) {
        subscriber.signalMessage(message);
        return false;
      });
  }

  std::shared_ptr<Link> link_;
  typename rclcpp::Subscription<M>::SharedPtr subscription_;
  std::function<void ()> subscribe_again_;
  std::string topic_;
};

}  // namespace message_filters

#endif
