// Makes transforms for the tests of buffers.
#ifndef TF2_TEST_BUFFER_FIXTURE_HPP_
#define TF2_TEST_BUFFER_FIXTURE_HPP_

#include <chrono>
#include <cstdint>
#include <string>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "gtest/gtest.h"
#include "tf2/buffer_core.h"

/// A buffer with functions that make short tests.
class BufferTest : public testing::Test
{
protected:
  static tf2::TimePoint at(double seconds) {return tf2::timeFromSec(seconds);}

  static geometry_msgs::msg::TransformStamped translated(
    const std::string & parent, const std::string & child, double x, double seconds)
  {
    geometry_msgs::msg::TransformStamped message;
    const auto nanoseconds = at(seconds).time_since_epoch().count();
    message.header.stamp.sec = static_cast<std::int32_t>(nanoseconds / 1000000000);
    message.header.stamp.nanosec = static_cast<std::uint32_t>(nanoseconds % 1000000000);
    message.header.frame_id = parent;
    message.child_frame_id = child;
    message.transform.translation.x = x;
    message.transform.rotation.w = 1.0;
    return message;
  }

  bool set(const std::string & parent, const std::string & child, double x, double seconds, bool is_static = false)
  {
    return buffer.setTransform(translated(parent, child, x, seconds), "test", is_static);
  }

  tf2::BufferCore buffer;
};

#endif
