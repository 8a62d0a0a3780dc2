// A component, alone or in a container: `counter alone` or `counter`.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "saltus/saltus.hpp"
#include "std_msgs/msg/u_int64.hpp"

using std_msgs::msg::UInt64;

class Counter
{
public:
  static saltus::Result<std::unique_ptr<Counter>> create(const saltus::ComponentOptions & options)
  {
    auto node = options.node("counter");
    if (!node) {
      return node.failure();
    }
    auto numbers = saltus::Publisher<UInt64>::create(*node, "numbers");
    if (!numbers) {
      return numbers.failure();
    }
    auto counter = std::unique_ptr<Counter>(new Counter(std::move(*node), std::move(*numbers)));
    auto timer = counter->node_.timer(std::chrono::milliseconds(100), [self = counter.get()] {self->count();});
    if (!timer) {
      return timer.failure();
    }
    counter->timer_ = std::move(*timer);
    return counter;
  }

  const saltus::Node & node() const {return node_;}

private:
  Counter(saltus::Node node, saltus::Publisher<UInt64> numbers)
  : node_(std::move(node)), numbers_(std::move(numbers)) {}

  void count()
  {
    UInt64 number;
    number.data = ++count_;
    if (const saltus::Status published = numbers_.publish(number); !published) {
      std::fprintf(stderr, "%s\n", published.text().c_str());
    }
  }

  uint64_t count_ = 0;
  saltus::Node node_;
  saltus::Publisher<UInt64> numbers_;
  // The last one, because its end waits for count().
  std::optional<saltus::Timer> timer_;
};

int main(int argc, char * argv[])
{
  if (argc > 1 && std::strcmp(argv[1], "alone") == 0) {
    return saltus::run<Counter>(argc, argv);
  }
  const auto context = saltus::Context::create(argc, argv).or_exit();
  const auto node = context.node("ComponentManager").or_exit();
  const auto executor = saltus::Executor::create(context).or_exit();
  executor.add_node(node).or_exit();
  const auto container = saltus::Container::create(node, executor).or_exit();
  container.add<Counter>("native", "native::Counter").or_exit();
  executor.spin().or_exit();
}
