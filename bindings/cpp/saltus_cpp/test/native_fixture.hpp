// What the tests of the C++ API have in common.
#ifndef NATIVE_FIXTURE_HPP_
#define NATIVE_FIXTURE_HPP_

#include <gtest/gtest.h>

#include <chrono>

#include "saltus/saltus.hpp"

using namespace std::chrono_literals;  // NOLINT

/// A test with a node, which an executor runs.
class Native : public ::testing::Test
{
protected:
  template<typename Condition>
  bool spin_until(Condition condition)
  {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      executor.spin_once(50ms).failure().or_exit();
    }
    return condition();
  }

  saltus::Context context = saltus::Context::create().or_exit();
  saltus::Node node = context.node("native").or_exit();
  saltus::Executor executor = saltus::Executor::create(context).or_exit();
  void SetUp() override {executor.add_node(node).or_exit();}
};

#endif  // NATIVE_FIXTURE_HPP_
