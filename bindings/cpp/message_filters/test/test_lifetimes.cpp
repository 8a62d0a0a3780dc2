// Callbacks that register, disconnect, add messages and destroy filters.
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "message_filters/cache.hpp"
#include "message_filters/chain.hpp"
#include "message_filters/pass_through.hpp"
#include "message_filters/sync_policies/approximate_time.hpp"
#include "message_filters/synchronizer.hpp"
#include "message_filters/time_synchronizer.hpp"
#include "messages.hpp"

namespace
{

using message_filters::Cache;
using message_filters::Connection;
using message_filters::PassThrough;
using message_filters::TimeSynchronizer;

TEST(Lifetimes, a_disconnected_callback_is_not_called)
{
  PassThrough<A> filter;
  int calls = 0;
  Connection connection = filter.registerCallback([&calls](const A &) {++calls;});
  Connection copy = connection;
  filter.add(at<0>(1));
  copy.disconnect();
  connection.disconnect();
  Connection().disconnect();
  filter.add(at<0>(2));
  EXPECT_EQ(1, calls);
}

TEST(Lifetimes, a_callback_may_disconnect_itself_and_others)
{
  PassThrough<A> filter;
  std::vector<int> calls;
  Connection first;
  Connection third;
  first = filter.registerCallback(
    [&](const A &) {
      calls.push_back(1);
      first.disconnect();
      third.disconnect();
    });
  filter.registerCallback([&calls](const A &) {calls.push_back(2);});
  third = filter.registerCallback([&calls](const A &) {calls.push_back(3);});
  filter.add(at<0>(1));
  filter.add(at<0>(2));
  EXPECT_EQ((std::vector<int>{1, 2, 2}), calls);
}

TEST(Lifetimes, a_callback_that_is_registered_in_a_callback_gets_the_next_message)
{
  PassThrough<A> filter;
  std::vector<int> calls;
  bool is_first = true;
  filter.registerCallback(
    [&](const A & message) {
      calls.push_back(message.number);
      if (is_first) {
        is_first = false;
        filter.registerCallback([&calls](const A & later) {calls.push_back(10 * later.number);});
      }
    });
  filter.add(at<0>(1, 1));
  filter.add(at<0>(2, 2));
  EXPECT_EQ((std::vector<int>{1, 2, 20}), calls);
}

TEST(Lifetimes, a_callback_of_a_synchronizer_may_register_and_add)
{
  TimeSynchronizer<A, B> filter(10);
  std::vector<int> calls;
  filter.registerCallback(
    [&](const A & a, const B &) {
      calls.push_back(a.number);
      if (a.number < 3) {
        filter.add<0>(at<0>(a.number + 1, a.number + 1));
        filter.add<1>(at<1>(a.number + 1));
        calls.push_back(-a.number);
      }
    });
  filter.add<0>(at<0>(1, 1));
  filter.add<1>(at<1>(1));
  EXPECT_EQ((std::vector<int>{1, -1, 2, -2, 3}), calls) << "sets that a callback makes come after it";
}

TEST(Lifetimes, a_callback_of_a_synchronizer_may_disconnect_it)
{
  PassThrough<A> a;
  PassThrough<B> b;
  TimeSynchronizer<A, B> filter(a, b, 10);
  int calls = 0;
  Connection connection;
  connection = filter.registerCallback(
    [&](const A &, const B &) {
      ++calls;
      connection.disconnect();
      PassThrough<A> other_a;
      PassThrough<B> other_b;
      filter.connectInput(other_a, other_b);
    });
  for (int stamp = 1; stamp <= 2; ++stamp) {
    a.add(at<0>(stamp));
    b.add(at<1>(stamp));
  }
  EXPECT_EQ(1, calls);
}

TEST(Lifetimes, a_callback_may_destroy_its_filter)
{
  auto input = std::make_unique<PassThrough<A>>();
  auto cache = std::make_unique<Cache<A>>(*input, 5);
  int calls = 0;
  cache->registerCallback(
    [&](const A &) {
      ++calls;
      cache.reset();
      input.reset();
    });
  cache->registerCallback([&](const A &) {++calls;});
  input->add(at<0>(1));
  EXPECT_EQ(1, calls) << "a destroyed filter calls no callbacks";
}

TEST(Lifetimes, a_callback_may_destroy_its_synchronizer)
{
  using Policy = message_filters::sync_policies::ApproximateTime<A, B>;
  PassThrough<A> a;
  PassThrough<B> b;
  auto filter = std::make_unique<message_filters::Synchronizer<Policy>>(Policy(10), a, b);
  int calls = 0;
  filter->registerCallback(
    [&](const A &, const B &) {
      ++calls;
      filter.reset();
    });
  a.add(at<0>(1));
  a.add(at<0>(2));
  b.add(at<1>(1));
  b.add(at<1>(2));
  EXPECT_EQ(1, calls);
}

TEST(Lifetimes, a_drop_callback_may_destroy_its_synchronizer)
{
  std::optional<TimeSynchronizer<A, B>> filter(std::in_place, 1);
  int calls = 0;
  filter->registerDropCallback(
    [&](const A::ConstSharedPtr &, const B::ConstSharedPtr &) {
      ++calls;
      filter.reset();
    });
  filter->add<0>(at<0>(1));
  filter->add<0>(at<0>(2));
  EXPECT_EQ(1, calls);
}

TEST(Lifetimes, inputs_may_be_destroyed_before_their_filters)
{
  auto a = std::make_unique<PassThrough<A>>();
  auto b = std::make_unique<PassThrough<B>>();
  TimeSynchronizer<A, B> filter(*a, *b, 10);
  Connection connection = a->registerCallback([](const A &) {});
  a.reset();
  connection.disconnect();
  b.reset();
}

TEST(Lifetimes, a_connection_does_not_keep_what_a_callback_has)
{
  const auto owned = std::make_shared<int>();
  Connection connection;
  {
    PassThrough<A> filter;
    connection = filter.registerCallback([owned](const A &) {});
    EXPECT_EQ(2, owned.use_count());
  }
  EXPECT_EQ(1, owned.use_count());
}

TEST(Lifetimes, a_removed_callback_may_own_the_last_reference_to_a_user_of_the_filter)
{
  PassThrough<A> filter;
  struct User
  {
    explicit User(PassThrough<A> & input)
    : cache(input) {}
    Cache<A> cache;
  };
  Connection connection = filter.registerCallback([user = std::make_shared<User>(filter)](const A &) {});
  filter.add(at<0>(1));
  connection.disconnect();
  filter.registerCallback([user = std::make_shared<User>(filter)](const A &) {});
}

TEST(Lifetimes, after_an_exception_the_filters_go_on)
{
  PassThrough<A> a;
  PassThrough<B> b;
  TimeSynchronizer<A, B> filter(a, b, 10);
  std::vector<int> calls;
  filter.registerCallback(
    [&calls](const A & message, const B &) {
      if (message.number == 1) {
        throw std::runtime_error("as planned");
      }
      calls.push_back(message.number);
    });
  a.add(at<0>(1, 1));
  EXPECT_THROW(b.add(at<1>(1)), std::runtime_error);
  a.add(at<0>(2, 2));
  b.add(at<1>(2));
  EXPECT_EQ((std::vector<int>{2}), calls);
}

TEST(Lifetimes, no_message_stays_after_the_filters)
{
  std::weak_ptr<A> waiting;
  std::weak_ptr<A> cached;
  {
    TimeSynchronizer<A, B> filter(10);
    Cache<A> cache(10);
    const auto message = at<0>(1);
    const auto other = at<0>(2);
    filter.add<0>(message);
    cache.add(other);
    waiting = message;
    cached = other;
  }
  EXPECT_TRUE(waiting.expired());
  EXPECT_TRUE(cached.expired());
}

TEST(Lifetimes, a_chain_may_get_filters_in_its_callback)
{
  message_filters::Chain<A> chain;
  chain.addFilter(std::make_shared<PassThrough<A>>());
  int calls = 0;
  chain.registerCallback(
    [&](const A &) {
      if (++calls == 1) {
        chain.addFilter(std::make_shared<PassThrough<A>>());
      }
    });
  chain.add(at<0>(1));
  chain.add(at<0>(2));
  EXPECT_EQ(2, calls);
}

}  // namespace
