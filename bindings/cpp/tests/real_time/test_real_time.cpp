// A timer of 1 kHz, a publisher and a subscription make no page faults, and no allocations but those of messages of rclcpp. What is
// counted is that of the thread that spins: another thread looks after the process a few times per second, and allocates.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "allocations.hpp"
#include "rclcpp/rclcpp.hpp"
#include "saltus/saltus.hpp"
#include "sensor_msgs/msg/image__view.hpp"
#include "std_msgs/msg/u_int64.hpp"
#include "std_msgs/msg/u_int64__view.hpp"

using namespace std::chrono_literals;  // NOLINT
using Image = sensor_msgs::msg::Image;
using Number = std_msgs::msg::UInt64;

namespace
{

constexpr std::uint64_t WARM_UP = 1000, MEASURED = 1000;

struct Used
{
  std::uint64_t allocations;
  long faults;
};

Used used()
{
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return {allocations(), usage.ru_minflt + usage.ru_majflt};
}

/// What was used between the messages WARM_UP and WARM_UP + MEASURED.
class Meter
{
public:
  /// Counts a received message. Returns whether it is the last one.
  bool count()
  {
    ++received_;
    if (received_ == WARM_UP) {
      begin_ = used();
    }
    if (received_ == WARM_UP + MEASURED) {
      end_ = used();
    }
    return received_ >= WARM_UP + MEASURED;
  }

  std::uint64_t allocated() const {return end_.allocations - begin_.allocations;}
  long faults() const {return end_.faults - begin_.faults;}

private:
  std::uint64_t received_ = 0;
  Used begin_{}, end_{};
};

}  // namespace

/// With locked memory and a real-time priority, if the user may have them.
class RealTime : public ::testing::Test
{
protected:
  void SetUp() override
  {
    sched_param priority{};
    priority.sched_priority = 10;
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
      std::perror("no real-time priority");
    }
    is_locked_ = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (!is_locked_) {
      std::perror("no locked memory, so page faults are not counted");
    }
    ASSERT_TRUE(is_locked_ || !may_lock()) << "this user may lock memory, but it is not locked";
  }

  void TearDown() override
  {
    munlockall();
    const sched_param none{};
    sched_setscheduler(0, SCHED_OTHER, &none);
  }

  void expect(const Meter & meter, std::uint64_t allocated) const
  {
    EXPECT_EQ(allocated, meter.allocated());
    if (is_locked_) {
      EXPECT_EQ(0, meter.faults());
    }
    std::printf("%llu allocations and %ld page faults for %llu messages\n",
      static_cast<unsigned long long>(meter.allocated()), meter.faults(), static_cast<unsigned long long>(MEASURED));
  }

private:
  /// Whether this process has the capability CAP_IPC_LOCK.
  static bool may_lock()
  {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "CapEff:") {
    }
    status >> word;
    return (std::stoull(word, nullptr, 16) >> CAP_IPC_LOCK & 1) != 0;
  }

  bool is_locked_ = false;
};

TEST_F(RealTime, the_native_api_in_place_allocates_nothing)
{
  const auto context = saltus::Context::create().or_exit();
  const auto node = context.node("native").or_exit();
  const auto executor = saltus::Executor::create(context).or_exit();
  const auto publisher = saltus::Publisher<Number>::create(node, "number").or_exit();
  Meter meter;
  const auto subscription = saltus::Subscription<Number>::create(
    node, "number", saltus::QoS(), [&](const saltus::View<Number> &) {
      if (meter.count()) {
        executor.cancel();
      }
    }).or_exit();
  publisher.wait(1, 10s).or_exit();
  const auto timer = node.timer(1ms, [&] {
        auto loan = publisher.loan().or_exit();
        loan.write().data(7);
        std::move(loan).publish().or_exit();
      }).or_exit();
  executor.add_node(node).or_exit();
  executor.spin().or_exit();
  expect(meter, 0);
}

TEST_F(RealTime, an_image_of_1_mb_in_place_allocates_nothing)
{
  constexpr std::size_t SIZE = 1 << 20;
  const auto context = saltus::Context::create().or_exit();
  const auto node = context.node("camera").or_exit();
  const auto executor = saltus::Executor::create(context).or_exit();
  const auto publisher = saltus::Publisher<Image>::create(node, "image").or_exit();
  Meter meter;
  std::uint64_t seen = 0;
  const auto subscription = saltus::Subscription<Image>::create(
    node, "image", saltus::QoS(), [&](const saltus::View<Image> & image) {
      for (std::size_t i = 0; i < image.data.size(); i += 4096) {
        seen += image.data[i];
      }
      if (meter.count()) {
        executor.cancel();
      }
    }).or_exit();
  publisher.wait(1, 10s).or_exit();
  const std_msgs::msg::Header header;
  const auto timer = node.timer(1ms, [&] {
        auto loan = publisher.loan(SIZE + 100).or_exit();
        loan.write().header(header).height(1024).width(1024).encoding("mono8").is_bigendian(0).step(1024).data(
          SIZE, [](std::uint8_t * pixels, std::size_t count) {std::memset(pixels, 7, count);});
        std::move(loan).publish().or_exit();
      }).or_exit();
  executor.add_node(node).or_exit();
  executor.spin().or_exit();
  EXPECT_GE(seen, 7 * MEASURED * SIZE / 4096);
  expect(meter, 0);
}

TEST_F(RealTime, rclcpp_allocates_only_the_messages)
{
  rclcpp::init(0, nullptr);
  const auto node = std::make_shared<rclcpp::Node>("rclcpp");
  rclcpp::executors::SingleThreadedExecutor executor;
  const auto publisher = node->create_publisher<Number>("number", 10);
  Meter meter;
  const auto subscription = node->create_subscription<Number>("number", 10, [&](Number::ConstSharedPtr) {
        if (meter.count()) {
          executor.cancel();
        }
      });
  Number number;
  const auto timer = node->create_wall_timer(1ms, [&] {publisher->publish(number);});
  executor.add_node(node);
  executor.spin();
  rclcpp::shutdown();
  // A message and the counter of its pointers are one allocation.
  expect(meter, MEASURED);
}
