// The containers of the subject. A command of the suite creates one.
#ifndef NATIVE__CONTAINERS_HPP_
#define NATIVE__CONTAINERS_HPP_

#include <memory>
#include <string>
#include <utility>

#include "failure.hpp"
#include "saltus/saltus.hpp"
#include "std_msgs/msg/u_int64.hpp"

/// Publishes its parameter `factor` for late subscriptions.
class Factor
{
public:
  using Number = std_msgs::msg::UInt64;

  static saltus::Result<std::unique_ptr<Factor>> create(const saltus::ComponentOptions & options)
  {
    auto node = options.node("factor");
    if (!node) {
      return node.failure();
    }
    const auto value = saltus::declare_parameter<int64_t>(*node, "factor", 2);
    if (!value) {
      return value.failure();
    }
    auto factors = saltus::Publisher<Number>::create(*node, "factor", saltus::QoS::keep_last(1).transient_local());
    if (!factors) {
      return factors.failure();
    }
    Number factor;
    factor.data = static_cast<uint64_t>(*value);
    const saltus::Status published = factors->publish(factor);
    if (!published) {
      return published;
    }
    return std::unique_ptr<Factor>(new Factor(std::move(*node), std::move(*factors)));
  }

  const saltus::Node & node() const {return node_;}

private:
  Factor(saltus::Node node, saltus::Publisher<Number> factors)
  : node_(std::move(node)), factors_(std::move(factors)) {}

  saltus::Node node_;
  saltus::Publisher<Number> factors_;
};

/// Can't be created.
class Faulty
{
public:
  static saltus::Result<std::unique_ptr<Faulty>> create(const saltus::ComponentOptions & options)
  {
    const auto node = options.node("faulty");
    return node ? saltus::Status(SALTUS_ERROR, "the device is missing") : node.failure();
  }

  const saltus::Node & node() const {return node_;}

private:
  saltus::Node node_;
};

/// A container whose components are in the program.
class Container
{
public:
  Container(const saltus::Context & context, const saltus::Executor & executor, const std::string & name)
  : node_(must(context.node(name))), container_(must(saltus::Container::create(node_, executor)))
  {
    must(container_.add<Factor>("suite", "suite::Factor"));
    must(container_.add<Faulty>("suite", "suite::Faulty"));
    must(executor.add_node(node_));
  }

private:
  saltus::Node node_;
  saltus::Container container_;
};

#endif  // NATIVE__CONTAINERS_HPP_
