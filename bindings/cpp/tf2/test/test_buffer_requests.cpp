#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "buffer_fixture.hpp"

namespace
{

constexpr auto NEVER = std::numeric_limits<tf2::TransformableRequestHandle>::max();

class BufferRequests : public BufferTest
{
protected:
  /// Returns a callback that keeps the results.
  tf2::BufferCore::TransformableCallback keep()
  {
    return [this](
      tf2::TransformableRequestHandle handle, const std::string & target, const std::string & source,
      tf2::TimePoint time, tf2::TransformableResult result) {
             handles.push_back(handle);
             results.push_back(result);
             names = target + " " + source;
             asked = time;
           };
  }

  std::vector<tf2::TransformableRequestHandle> handles;
  std::vector<tf2::TransformableResult> results;
  std::string names;
  tf2::TimePoint asked;
};

TEST_F(BufferRequests, an_open_request_is_answered_once)
{
  const auto handle = buffer.addTransformableRequest(keep(), "map", "base", at(1.5));
  EXPECT_NE(0u, handle);
  EXPECT_NE(NEVER, handle);
  set("map", "base", 1.0, 1.0);
  EXPECT_TRUE(results.empty());
  set("map", "base", 1.0, 2.0);
  set("map", "base", 1.0, 3.0);
  EXPECT_EQ(std::vector{tf2::TransformAvailable}, results);
  EXPECT_EQ(std::vector{handle}, handles);
  EXPECT_EQ("map base", names);
  EXPECT_EQ(at(1.5), asked);
}

TEST_F(BufferRequests, a_known_transform_needs_no_callback)
{
  set("map", "base", 1.0, 1.0);
  EXPECT_EQ(0u, buffer.addTransformableRequest(keep(), "map", "base", at(1)));
  EXPECT_EQ(0u, buffer.addTransformableRequest(keep(), "map", "map", at(1)));
  EXPECT_TRUE(results.empty());
}

TEST_F(BufferRequests, a_time_that_is_too_old_never_comes)
{
  set("map", "base", 1.0, 100.0);
  set("map", "base", 1.0, 101.0);
  EXPECT_EQ(NEVER, buffer.addTransformableRequest(keep(), "map", "base", at(50)));
  EXPECT_TRUE(results.empty());
}

TEST_F(BufferRequests, a_time_that_becomes_too_old_fails)
{
  set("map", "base", 1.0, 10.0);
  set("map", "base", 1.0, 11.0);
  EXPECT_NE(NEVER, buffer.addTransformableRequest(keep(), "map", "base", at(5)));
  set("map", "base", 1.0, 16.0);
  EXPECT_EQ(std::vector{tf2::TransformFailure}, results);
}

TEST_F(BufferRequests, a_cancelled_request_is_not_answered)
{
  buffer.cancelTransformableRequest(buffer.addTransformableRequest(keep(), "map", "base", at(1)));
  buffer.cancelTransformableRequest(12345);
  set("map", "base", 1.0, 1.0);
  EXPECT_TRUE(results.empty());
}

TEST_F(BufferRequests, a_callback_may_use_the_buffer)
{
  tf2::TransformableRequestHandle other = 0;
  const auto use = [&](auto handle, const auto &, const auto &, auto, auto) {
      buffer.cancelTransformableRequest(handle);
      buffer.cancelTransformableRequest(other);
      set("base", "laser", 1.0, 1.0);
      EXPECT_EQ(0u, buffer.addTransformableRequest(keep(), "map", "laser", at(1)));
      buffer.addTransformableRequest(keep(), "map", "arm", at(1));
    };
  buffer.addTransformableRequest(use, "map", "base", at(1));
  other = buffer.addTransformableRequest(keep(), "map", "base", at(2));
  set("map", "base", 1.0, 1.0);
  set("map", "base", 1.0, 2.0);
  EXPECT_TRUE(results.empty());
  set("base", "arm", 1.0, 1.0);
  EXPECT_EQ(1u, results.size());
}

TEST_F(BufferRequests, what_a_callback_throws_leaves_set_transform)
{
  const auto fail = [](auto, const auto &, const auto &, auto, auto) {throw std::runtime_error("mine");};
  buffer.addTransformableRequest(fail, "map", "base", at(1));
  buffer.addTransformableRequest(keep(), "map", "base", at(1));
  EXPECT_THROW(set("map", "base", 1.0, 1.0), std::runtime_error);
  // The other request is answered, and the transform is in the buffer.
  EXPECT_EQ(1u, results.size());
  EXPECT_TRUE(buffer.canTransform("map", "base", at(1)));
  EXPECT_NO_THROW(set("map", "base", 1.0, 2.0));
}

TEST_F(BufferRequests, open_requests_end_with_their_buffer)
{
  auto own = std::make_unique<tf2::BufferCore>();
  const auto alive = std::make_shared<int>(0);
  own->addTransformableRequest([alive](auto, const auto &, const auto &, auto, auto) {}, "map", "base", at(1));
  EXPECT_EQ(2, alive.use_count());
  own.reset();
  EXPECT_EQ(1, alive.use_count());
}

TEST_F(BufferRequests, threads_add_cancel_and_answer_requests)
{
  std::atomic<int> answered{0}, known{0}, cancelled{0};
  std::atomic<bool> stop{false};
  std::thread sender([&] {
      for (int step = 1; !stop; ++step) {
        set("map", "base", 1.0, 0.001 * step);
      }
    });
  const auto count = [&](auto, const auto &, const auto &, auto, auto) {++answered;};
  const auto ask = [&] {
      for (int turn = 0; turn < 500; ++turn) {
        tf2::TimePoint latest;
        const auto map = buffer._lookupOrInsertFrameNumber("map");
        buffer._getLatestCommonTime(map, buffer._lookupOrInsertFrameNumber("base"), latest, nullptr);
        const auto handle =
          buffer.addTransformableRequest(count, "map", "base", latest + std::chrono::milliseconds(turn % 3));
        if (handle == 0 || handle == NEVER) {
          ++known;
        } else if (turn % 2 == 0) {
          buffer.cancelTransformableRequest(handle);
          ++cancelled;
        }
      }
    };
  std::thread first(ask), second(ask);
  first.join();
  second.join();
  for (int pause = 0; pause < 1000 && answered + known + cancelled < 1000; ++pause) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  stop = true;
  sender.join();
  // A cancelled request may have been answered before.
  EXPECT_GE(answered + known + cancelled, 1000);
}

}  // namespace
