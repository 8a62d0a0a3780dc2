#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "rcppmath/clamp.hpp"
#include "rcppmath/rolling_mean_accumulator.hpp"
#include "rcpputils/asserts.hpp"
#include "rcpputils/endian.hpp"
#include "rcpputils/env.hpp"
#include "rcpputils/find_and_replace.hpp"
#include "rcpputils/find_library.hpp"
#include "rcpputils/get_env.hpp"
#include "rcpputils/join.hpp"
#include "rcpputils/mutex.hpp"
#include "rcpputils/pointer_traits.hpp"
#include "rcpputils/process.hpp"
#include "rcpputils/scope_exit.hpp"
#include "rcpputils/shared_library.hpp"
#include "rcpputils/split.hpp"
#include "rcpputils/thread_safety_annotations.hpp"
#include "rcpputils/time.hpp"
#include "rcpputils/unique_lock.hpp"
#include "rcpputils/version.h"

namespace
{

using Strings = std::vector<std::string>;

template<typename Exception, typename Function>
std::string text_of(Function function)
{
  try {
    function();
  } catch (const Exception & exception) {
    return exception.what();
  }
  return "no exception";
}

TEST(Asserts, throw_what_they_say)
{
  EXPECT_NO_THROW(rcpputils::require_true(true));
  EXPECT_NO_THROW(rcpputils::check_true(true, std::string("x")));
  EXPECT_EQ(
    "invalid argument passed", text_of<std::invalid_argument>([] {rcpputils::require_true(false);}));
  EXPECT_EQ("a", text_of<std::invalid_argument>([] {rcpputils::require_true(false, "a");}));
  EXPECT_EQ("invalid state", text_of<rcpputils::IllegalStateException>([] {rcpputils::check_true(false);}));
  EXPECT_EQ(
    "b", text_of<rcpputils::IllegalStateException>([] {rcpputils::check_true(false, std::string("b"));}));
  EXPECT_EQ("assertion failed", text_of<rcpputils::AssertionException>([] {rcpputils::assert_true(false);}));
}

TEST(Env, set_and_get)
{
  EXPECT_TRUE(rcpputils::set_env_var("SALTUS_TEST_VARIABLE", "1"));
  EXPECT_EQ("1", rcpputils::get_env_var("SALTUS_TEST_VARIABLE"));
  EXPECT_TRUE(rcpputils::set_env_var("SALTUS_TEST_VARIABLE", nullptr));
  EXPECT_EQ("", rcpputils::get_env_var("SALTUS_TEST_VARIABLE"));
  EXPECT_THROW(rcpputils::get_env_var(nullptr), std::runtime_error);
  EXPECT_THROW(rcpputils::set_env_var("", "x"), std::runtime_error);
}

TEST(Process, name) {EXPECT_EQ("test_rcpputils", rcpputils::get_executable_name());}

TEST(Strings_, split)
{
  EXPECT_EQ(Strings({}), rcpputils::split("", '/'));
  EXPECT_EQ(Strings({"", "a", "", "b"}), rcpputils::split("/a//b/", '/'));
  EXPECT_EQ(Strings({"a", "b"}), rcpputils::split("/a//b/", '/', true));
  EXPECT_EQ(Strings({"abc"}), rcpputils::split("abc", ';'));
  std::set<std::string> unique;
  auto it = std::inserter(unique, unique.end());
  rcpputils::split("b a b", ' ', it);
  rcpputils::split("c", ' ', std::inserter(unique, unique.end()), true);
  EXPECT_EQ((std::set<std::string>{"a", "b", "c"}), unique);
  // An object that is no iterator.
  struct Last
  {
    std::string value;
    Last & operator=(const std::string & part)
    {
      value = part;
      return *this;
    }
  } last;
  rcpputils::split("a/b", '/', last);
  EXPECT_EQ("b", last.value);
}

TEST(Strings_, join)
{
  EXPECT_EQ("1, 2, 3", rcpputils::join(std::vector<int>{1, 2, 3}, ", "));
  EXPECT_EQ("a-b", rcpputils::join(std::deque<std::string>{"a", "b"}, std::string("-")));
  EXPECT_EQ("", rcpputils::join(std::vector<int>{}, ", "));
  EXPECT_EQ(L"1x2", rcpputils::join(std::set<int>{2, 1}, L"x"));
}

TEST(Strings_, find_and_replace)
{
  EXPECT_EQ("x-b-x", rcpputils::find_and_replace("a-b-a", "a", "x"));
  EXPECT_EQ("aaaa", rcpputils::find_and_replace(std::string("aa"), "a", std::string("aa")));
  EXPECT_EQ("aa", rcpputils::find_and_replace(std::string("aa"), "", "x"));
  EXPECT_EQ(L"b", rcpputils::find_and_replace(L"a", std::wstring(L"a"), L"b"));
}

TEST(PointerTraits, kinds)
{
  static_assert(rcpputils::is_pointer<int *>::value);
  static_assert(rcpputils::is_pointer<const std::shared_ptr<int> &>::value);
  static_assert(rcpputils::is_pointer<std::unique_ptr<int, void (*)(int *)>>::value);
  static_assert(!rcpputils::is_pointer<int &>::value);
  static_assert(!rcpputils::is_pointer<std::string>::value);
  static_assert(std::is_same_v<int, rcpputils::remove_pointer<std::shared_ptr<int> &>::type>);
  static_assert(std::is_same_v<const int, rcpputils::remove_pointer<const int * const>::type>);
  static_assert(std::is_same_v<int, rcpputils::remove_pointer<int>::type>);
}

TEST(ScopeExit, runs_unless_cancelled)
{
  int calls = 0;
  {
    auto guard = rcpputils::make_scope_exit([&calls] {++calls;});
    auto cancelled = rcpputils::make_scope_exit([&calls] {++calls;});
    cancelled.cancel();
    RCPPUTILS_SCOPE_EXIT(calls += 10;);
    RCPPUTILS_SCOPE_EXIT({std::pair<int, int> pair(1, 100); calls += pair.second;});
    EXPECT_EQ(0, calls);
  }
  EXPECT_EQ(111, calls);
}

TEST(SharedLibrary, load)
{
  EXPECT_EQ("libfoo.so", rcpputils::get_platform_library_name("foo"));
  EXPECT_EQ("libfood.so", rcpputils::get_platform_library_name("foo", true));
  const std::string path = rcpputils::find_library_path("rcutils");
  ASSERT_NE("", path);
  EXPECT_EQ("", rcpputils::find_library_path("nothing_of_saltus"));
  EXPECT_EQ("", rcpputils::path_for_library("/", "rcutils"));
  rcpputils::SharedLibrary library(path);
  EXPECT_EQ(path, library.get_library_path());
  EXPECT_TRUE(library.has_symbol("rcutils_get_pid"));
  EXPECT_NE(nullptr, library.get_symbol(std::string("rcutils_get_pid")));
  EXPECT_FALSE(library.has_symbol(std::string("no_such_symbol")));
  EXPECT_THROW(library.get_symbol("no_such_symbol"), std::runtime_error);
  library.unload_library();
  EXPECT_THROW(library.unload_library(), std::runtime_error);
  EXPECT_THROW(library.get_library_path(), std::runtime_error);
  EXPECT_THROW(rcpputils::SharedLibrary("libnothing_of_saltus.so"), std::runtime_error);
}

struct RCPPUTILS_TSA_CAPABILITY("mutex") Guarded
{
  std::mutex mutex;
  int value RCPPUTILS_TSA_GUARDED_BY(mutex) = 0;
  void add() RCPPUTILS_TSA_EXCLUDES(mutex)
  {
    rcpputils::unique_lock lock(mutex);
    ++value;
    lock.unlock();
    lock.lock();
  }
};

TEST(Locks, unique_lock)
{
  Guarded guarded;
  std::thread other([&guarded] {guarded.add();});
  guarded.add();
  other.join();
  EXPECT_EQ(2, guarded.value);
  std::condition_variable condition;
  rcpputils::unique_lock<std::mutex> lock(guarded.mutex);
  EXPECT_EQ(std::cv_status::timeout, condition.wait_for(lock, std::chrono::milliseconds(1)));
}

template<typename MutexT>
bool other_thread_can_lock(MutexT & mutex)
{
  bool locked = false;
  std::thread([&] {
      locked = mutex.try_lock();
      if (locked) {
        mutex.unlock();
      }
    }).join();
  return locked;
}

TEST(Locks, priority_inheritance)
{
  rcpputils::PIMutex mutex;
  {
    std::lock_guard<std::mutex> lock(mutex);
    EXPECT_FALSE(other_thread_can_lock(mutex));
  }
  EXPECT_TRUE(other_thread_can_lock(mutex));
  rcpputils::RecursivePIMutex recursive;
  {
    std::lock_guard<rcpputils::RecursivePIMutex> outer(recursive);
    std::lock_guard<rcpputils::RecursivePIMutex> inner(recursive);
    EXPECT_FALSE(other_thread_can_lock(recursive));
  }
  EXPECT_TRUE(other_thread_can_lock(recursive));
}

TEST(Numbers, rolling_mean)
{
  rcppmath::RollingMeanAccumulator<double> mean(3);
  EXPECT_EQ(0.0, mean.getRollingMean());
  mean.accumulate(1.0);
  EXPECT_DOUBLE_EQ(1.0, mean.getRollingMean());
  mean.accumulate(3.0);
  EXPECT_DOUBLE_EQ(2.0, mean.getRollingMean());
  mean.accumulate(5.0);
  mean.accumulate(7.0);
  EXPECT_DOUBLE_EQ(5.0, mean.getRollingMean());
  // A huge value leaves no rounding error once it has left the window.
  mean.accumulate(1e20);
  for (int round = 0; round < 6; ++round) {
    mean.accumulate(1.0);
  }
  EXPECT_DOUBLE_EQ(1.0, mean.getRollingMean());
  rcpputils::RollingMeanAccumulator<int> of_one(0);
  of_one.accumulate(4);
  of_one.accumulate(6);
  EXPECT_EQ(6, of_one.getRollingMean());
}

TEST(Numbers, others)
{
  EXPECT_EQ(3, rcppmath::clamp(5, 1, 3));
  const uint16_t word = 1;
  const bool is_little = *reinterpret_cast<const uint8_t *>(&word) == 1;
  EXPECT_EQ(is_little, rcpputils::endian::native == rcpputils::endian::little);
  EXPECT_TRUE(RCPPUTILS_VERSION_GTE(2, 6, 0));
  EXPECT_FALSE(RCPPUTILS_VERSION_GTE(2, 12, 0));
  EXPECT_FALSE(RCPPUTILS_VERSION_GTE(3, 0, 0));
}

TEST(Time, nanoseconds)
{
  using namespace std::chrono_literals;
  EXPECT_EQ(300000000000, rcpputils::convert_to_nanoseconds(5min).count());
  EXPECT_EQ(1500000000, rcpputils::convert_to_nanoseconds(std::chrono::duration<double>(1.5)).count());
  EXPECT_EQ(INT64_MAX, rcpputils::convert_to_nanoseconds(std::chrono::nanoseconds::max()).count());
  EXPECT_EQ(INT64_MIN, rcpputils::convert_to_nanoseconds(std::chrono::nanoseconds::min()).count());
  EXPECT_THROW(rcpputils::convert_to_nanoseconds(std::chrono::hours(10000000000)), std::invalid_argument);
  EXPECT_THROW(rcpputils::convert_to_nanoseconds(std::chrono::duration<double>(1e300)), std::invalid_argument);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(rcpputils::convert_to_nanoseconds(std::chrono::duration<double>(nan)), std::invalid_argument);
}

}  // namespace
