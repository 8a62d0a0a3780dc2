// The C++ API: components.
#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "native_fixture.hpp"

namespace
{

std::atomic<int> ticks{0};
std::atomic<int> living{0};
/// Whether the third tick ends the program.
std::atomic<bool> is_whole_program{false};

void tick()
{
  if (++ticks == 3 && is_whole_program) {
    std::raise(SIGINT);
  }
}

/// A component with a timer.
class Ticking
{
public:
  static saltus::Result<std::unique_ptr<Ticking>> create(const saltus::ComponentOptions & options)
  {
    auto node = options.node("ticking", "/parts");
    if (!node) {
      return node.failure();
    }
    auto timer = node->timer(1ms, &tick);
    return timer ? saltus::Result<std::unique_ptr<Ticking>>(
      std::unique_ptr<Ticking>(new Ticking(std::move(*node), std::move(*timer)))) : timer.failure();
  }

  ~Ticking() {--living;}

  const saltus::Node & node() const {return node_;}

private:
  Ticking(saltus::Node node, saltus::Timer timer)
  : node_(std::move(node)), timer_(std::move(timer)) {++living;}

  saltus::Node node_;
  saltus::Timer timer_;
};

/// A component that can't be created.
class Broken
{
public:
  static saltus::Result<std::unique_ptr<Broken>> create(const saltus::ComponentOptions &)
  {
    return saltus::Status(SALTUS_ERROR, "the device is missing");
  }

  const saltus::Node & node() const {return *node_;}

private:
  std::optional<saltus::Node> node_;
};

}  // namespace

TEST_F(Native, a_container_loads_and_unloads_components)
{
  auto container = saltus::Container::create(node, executor).or_exit();
  container.add<Ticking>("demo", "demo::Ticking").or_exit();
  ticks = 0;
  const uint64_t id = container.load("demo", "demo::Ticking").or_exit();
  EXPECT_EQ(1u, id);
  EXPECT_TRUE(spin_until([] {return ticks > 2;}));
  EXPECT_EQ(1u, container.count());
  container.unload(id).or_exit();
  EXPECT_EQ(0, living);
  EXPECT_FALSE(container.unload(id));
}

TEST_F(Native, a_component_has_threads_of_its_own_if_the_container_gives_it_some)
{
  std::optional<saltus::Container> container = saltus::Container::create(node, executor, 1).or_exit();
  container->add<Ticking>("demo", "demo::Ticking").or_exit();
  ticks = 0;
  container->load("demo", "demo::Ticking").or_exit();
  // Nobody spins the executor of the container.
  while (ticks < 3) {
    ASSERT_TRUE(context.sleep(1ms));
  }
  container.reset();
  EXPECT_EQ(0, living);
}

TEST_F(Native, a_component_that_can_not_be_created_says_why)
{
  const auto container = saltus::Container::create(node, executor).or_exit();
  container.add<Broken>("demo", "demo::Broken").or_exit();
  const auto loaded = container.load("demo", "demo::Broken");
  EXPECT_EQ("Component constructor threw an exception: the device is missing", loaded.failure().text());
  EXPECT_EQ(0u, container.count());
}

TEST_F(Native, a_component_that_is_the_whole_program_ends_with_the_context)
{
  const char * const arguments[] = {"program"};
  EXPECT_EQ(1, saltus::run<Broken>(1, arguments));
  ticks = 0;
  is_whole_program = true;
  EXPECT_EQ(0, saltus::run<Ticking>(1, arguments));
  is_whole_program = false;
  EXPECT_GE(ticks, 3);
  EXPECT_EQ(0, living);
}
