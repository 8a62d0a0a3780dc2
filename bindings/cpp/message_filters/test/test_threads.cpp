// Filters that several threads use.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "message_filters/cache.hpp"
#include "message_filters/impl/turn.hpp"
#include "message_filters/input_aligner.hpp"
#include "message_filters/pass_through.hpp"
#include "message_filters/sync_policies/approximate_time.hpp"
#include "message_filters/sync_policies/latest_time.hpp"
#include "message_filters/synchronizer.hpp"
#include "message_filters/time_synchronizer.hpp"
#include "messages.hpp"

namespace
{

using message_filters::Cache;
using message_filters::Connection;
using message_filters::PassThrough;
using message_filters::Synchronizer;
using message_filters::TimeSynchronizer;
using message_filters::impl::Turn;
using message_filters::sync_policies::ApproximateTime;
using message_filters::sync_policies::LatestTime;

/// Runs a function in several threads at the same time.
void inThreads(int count, const std::function<void (int)> & function)
{
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index) {
    threads.emplace_back(function, index);
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
}

/// A point that threads wait at.
class Gate
{
public:
  void open()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

  void wait()
  {
    std::unique_lock<std::mutex> lock(mutex_);
    ASSERT_TRUE(opened_.wait_for(lock, std::chrono::seconds(60), [this] {return is_open_;})) << "deadlock";
  }

private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// Counts calls, and fails if two threads call it at the same time.
struct Exclusive
{
  void call()
  {
    EXPECT_FALSE(is_called.exchange(true)) << "two threads call callbacks of one filter";
    ++calls;
    std::this_thread::yield();
    is_called = false;
  }

  std::atomic<bool> is_called{false};
  // Not atomic: the calls are one after the other.
  int calls = 0;
};

TEST(Turns, one_thread_has_it_at_a_time)
{
  const auto turn = std::make_shared<Turn>();
  int sum = 0;
  inThreads(
    4, [&](int) {
      for (int index = 0; index < 3000; ++index) {
        std::lock_guard<Turn> lock(*turn);
        std::lock_guard<Turn> nested(*turn);
        EXPECT_TRUE(turn->isNested());
        ++sum;
      }
    });
  EXPECT_EQ(12000, sum);
}

TEST(Turns, a_cycle_of_threads_does_not_block)
{
  for (const int count : {2, 3, 5}) {
    std::vector<std::unique_ptr<Turn>> turns;
    for (int index = 0; index < count; ++index) {
      turns.push_back(std::make_unique<Turn>());
    }
    // Each is guarded by the turn with its index.
    std::vector<int> sums(turns.size());
    inThreads(
      count, [&](int index) {
        const auto own = static_cast<std::size_t>(index);
        const std::size_t next = (own + 1) % turns.size();
        for (int round = 0; round < 2000; ++round) {
          std::lock_guard<Turn> own_lock(*turns[own]);
          ++sums[own];
          std::this_thread::yield();
          std::lock_guard<Turn> next_lock(*turns[next]);
          ++sums[next];
        }
      });
    EXPECT_EQ(std::vector<int>(turns.size(), 4000), sums);
  }
}

TEST(Threads, one_thread_at_a_time_calls_the_callbacks_of_a_filter)
{
  PassThrough<A> filter;
  Exclusive calls;
  filter.registerCallback([&calls](const A &) {calls.call();});
  inThreads(
    4, [&](int) {
      for (int index = 0; index < 1000; ++index) {
        filter.add(at<0>(index));
      }
    });
  EXPECT_EQ(4000, calls.calls);
}

TEST(Threads, all_sets_come_once)
{
  PassThrough<A> a;
  PassThrough<B> b;
  TimeSynchronizer<A, B> filter(a, b, 0);
  Exclusive calls;
  filter.registerCallback([&calls](const A & left, const B & right) {
      EXPECT_EQ(stampOf(left), stampOf(right));
      calls.call();
    });
  inThreads(
    2, [&](int input) {
      for (int stamp = 0; stamp < 2000; ++stamp) {
        input == 0 ? a.add(at<0>(stamp)) : b.add(at<1>(stamp));
      }
    });
  // A message that comes after a later set makes its set late, or is dropped with the earlier ones.
  EXPECT_GT(calls.calls, 0);
  EXPECT_LE(calls.calls, 2000);
}

TEST(Threads, settings_and_callbacks_may_change_meanwhile)
{
  using Approximate = ApproximateTime<A, B>;
  using Latest = LatestTime<A, B>;
  PassThrough<A> a;
  PassThrough<B> b;
  Synchronizer<Approximate> approximate(Approximate(5), a, b);
  Synchronizer<Latest> latest(Latest(), a, b);
  Cache<A> cache(a, 10);
  std::atomic<int> calls{0};
  inThreads(
    4, [&](int index) {
      for (int stamp = 1; stamp < 500; ++stamp) {
        switch (index) {
          case 0:
            a.add(at<0>(stamp));
            break;
          case 1:
            b.add(at<1>(stamp));
            break;
          case 2:
            approximate.setAgePenalty(0.1 * (stamp % 3));
            approximate.setMaxIntervalDuration(rclcpp::Duration(0, 100));
            latest.setClock(std::make_shared<rclcpp::Clock>(RCL_ROS_TIME));
            latest.setRateConfig({0.5, 0.5, 5.0});
            cache.getInterval(rclcpp::Time(0, 0), rclcpp::Time(1, 0));
            cache.getLatestTime();
            break;
          default:
            Connection first = approximate.registerCallback([&calls](const A &, const B &) {++calls;});
            Connection second = latest.registerCallback([&calls](const A &, const B &) {++calls;});
            first.disconnect();
            second.disconnect();
        }
      }
    });
}

TEST(Threads, after_disconnect_the_callback_does_not_run)
{
  PassThrough<A> filter;
  std::atomic<bool> ends{false};
  std::thread adding([&] {
      while (!ends) {
        filter.add(at<0>(1));
      }
    });
  for (int round = 0; round < 300; ++round) {
    auto target = std::make_unique<int>(0);
    Connection connection = filter.registerCallback([value = target.get()](const A &) {++*value;});
    std::this_thread::yield();
    connection.disconnect();
    target.reset();
  }
  ends = true;
  adding.join();
}

TEST(Threads, a_destroyed_filter_does_not_run)
{
  PassThrough<A> a;
  PassThrough<B> b;
  std::atomic<bool> ends{false};
  std::thread adding([&] {
      for (int stamp = 0; !ends; ++stamp) {
        a.add(at<0>(stamp));
        b.add(at<1>(stamp));
      }
    });
  for (int round = 0; round < 200; ++round) {
    auto count = std::make_unique<int>(0);
    TimeSynchronizer<A, B> filter(a, b, 5);
    Cache<A> cache(a, 5);
    filter.registerCallback([value = count.get()](const A &, const B &) {++*value;});
    std::this_thread::yield();
  }
  ends = true;
  adding.join();
}

TEST(Threads, a_callback_may_wait_for_a_thread_that_registers)
{
  PassThrough<A> filter;
  int calls = 0;
  filter.registerCallback(
    [&](const A &) {
      std::thread([&] {filter.registerCallback([&calls](const A &) {++calls;});}).join();
    });
  filter.add(at<0>(1));
  filter.add(at<0>(2));
  EXPECT_EQ(1, calls);
}

TEST(Threads, filters_that_add_to_each_other_do_not_block)
{
  PassThrough<A> first;
  PassThrough<A> second;
  Gate first_runs;
  Gate second_runs;
  std::atomic<int> calls{0};
  const auto add_to = [&calls](PassThrough<A> & other, Gate & own, Gate & others) {
      return [&](const A & message) {
               ++calls;
               if (message.number == 1) {
                 own.open();
                 others.wait();
                 other.add(at<0>(2, 2));
               }
             };
    };
  first.registerCallback(add_to(second, first_runs, second_runs));
  second.registerCallback(add_to(first, second_runs, first_runs));
  inThreads(2, [&](int index) {(index == 0 ? first : second).add(at<0>(1, 1));});
  EXPECT_EQ(4, calls);
}

TEST(Threads, synchronizers_that_add_to_each_other_do_not_block)
{
  TimeSynchronizer<A, B> first(10);
  TimeSynchronizer<A, B> second(10);
  Gate first_runs;
  Gate second_runs;
  std::atomic<int> calls{0};
  const auto add_to = [&calls](TimeSynchronizer<A, B> & other, Gate & own, Gate & others) {
      return [&](const A & message, const B &) {
               ++calls;
               if (message.number == 1) {
                 own.open();
                 others.wait();
                 other.add<0>(at<0>(2, 2));
                 other.add<1>(at<1>(2));
               }
             };
    };
  first.registerCallback(add_to(second, first_runs, second_runs));
  second.registerCallback(add_to(first, second_runs, first_runs));
  inThreads(
    2, [&](int index) {
      auto & filter = index == 0 ? first : second;
      filter.add<0>(at<0>(1, 1));
      filter.add<1>(at<1>(1));
    });
  EXPECT_EQ(4, calls);
}

TEST(Threads, a_callback_may_disconnect_an_input_that_waits_for_it)
{
  PassThrough<A> a;
  PassThrough<B> b;
  auto filter = std::make_unique<TimeSynchronizer<A, B>>(a, b, 10);
  Gate runs;
  std::atomic<int> calls{0};
  filter->registerCallback(
    [&](const A &, const B &) {
      ++calls;
      runs.open();
      // The other thread is about to add to `a`, and waits for this callback.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      PassThrough<A> other_a;
      PassThrough<B> other_b;
      filter->connectInput(other_a, other_b);
    });
  a.add(at<0>(1));
  inThreads(
    2, [&](int index) {
      if (index == 0) {
        b.add(at<1>(1));
      } else {
        runs.wait();
        a.add(at<0>(2));
      }
    });
  EXPECT_EQ(1, calls);
}

TEST(Threads, other_threads_wait_while_the_callback_runs)
{
  TimeSynchronizer<A, B> filter(10);
  Gate runs;
  Gate may_end;
  std::atomic<bool> has_added{false};
  filter.registerCallback(
    [&](const A & message, const B &) {
      if (message.number == 1) {
        runs.open();
        may_end.wait();
        EXPECT_FALSE(has_added);
      }
    });
  filter.add<0>(at<0>(1, 1));
  inThreads(
    3, [&](int index) {
      if (index == 0) {
        return filter.add<1>(at<1>(1));
      }
      runs.wait();
      if (index == 1) {
        filter.add<0>(at<0>(2, 2));
        has_added = true;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        may_end.open();
      }
    });
}

TEST(Threads, an_aligner_keeps_the_order)
{
  message_filters::InputAligner<A, B> aligner(rclcpp::Duration(0, 0));
  std::int64_t last = 0;
  const auto check = [&last](const auto & message) {
      EXPECT_LE(last, stampOf(*message));
      last = stampOf(*message);
    };
  aligner.registerCallback<0>(check);
  aligner.registerCallback<1>(check);
  inThreads(
    4, [&](int index) {
      for (int stamp = 1; stamp < 500; ++stamp) {
        index == 0 ? aligner.add<0>(at<0>(stamp)) : index == 1 ? aligner.add<1>(at<1>(stamp)) :
        aligner.dispatchMessages();
      }
    });
}

}  // namespace
